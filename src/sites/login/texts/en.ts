import { withNames } from "../markup/html.ts";
import type { Texts } from "./texts.ts";

/** English. */
export const en: Texts = {
  language: "en",
  instanceName: "Gatehouse",
  continue: "Continue",
  cancel: "Cancel",
  back: "Back to the application",
  otherWay: "Sign in another way",
  toAccount: "Go to your account",
  handOver: "If nothing happens by itself, choose “Continue”.",
  requestId: (id) => `Request ${id}`,
  password: {
    title: "Sign in",
    lead: (application) => withNames`to continue to ${application}`,
    username: "Username",
    password: "Password",
    submit: "Sign in",
    wrong: "The username or the password is wrong. Check both and try again.",
    paused: "There were too many tries. Wait a while, then try again.",
    or: "or",
    nothing: "Nobody can sign in here at the moment. Ask the people who run the application.",
  },
  identityProviders: { google: "Sign in with Google" },
  account: {
    title: "Choose an account",
    lead: (application) => withNames`to continue to ${application}`,
    use: (name) => withNames`Continue as ${name}`,
    another: "Use another account",
  },
  confirm: {
    title: (application) => withNames`Continue to ${application}?`,
    lead: ({ application, organization }) =>
      withNames`${application} belongs to ${organization}, which is not your organization.`,
    leadHome: ({ application, organization }) => withNames`${application} belongs to ${organization}.`,
    more: "This application asks for more than you have allowed before.",
    isNew: "New:",
    told: "It will learn:",
    claims: {
      identity: "your username, and an identifier of your account",
      profile: "your name",
      email: "your email address",
      phone: "your phone number",
      roles: "your roles in its project",
      "other-roles": "your roles in the projects below",
      organization: "your organization",
    },
    offline: "access to all of this while you are away, for up to 90 days",
    audiences: "In your name, the application will also use:",
    project: ({ project, organization }) =>
      withNames`${project} of ${organization}, which gets the same information about you`,
    api: "this service itself, with everything that you may do here",
  },
  securityKey: {
    needsScript:
      "This page needs JavaScript, because browsers only let scripts use a security key. Turn it on, then reload the page.",
    waiting: "Touch your security key …",
    failed: "The security key did not answer. Make sure that it is plugged in, then try again.",
    unsupported: "This browser does not support security keys. Use another browser.",
    name: "Name of the security key",
    defaultName: "Security key",
  },
  passkey: {
    title: "Sign in with a passkey",
    lead: "Your device asks for your fingerprint, your face or a PIN. There is nothing to type here.",
    neededLead: "You need more than a password to sign in here. Your passkey is enough.",
    button: "Use a passkey",
    another: "Sign in another way",
    needsScript:
      "This page needs JavaScript, because browsers only let scripts use a passkey. Turn it on, then reload the page.",
    waiting: "Follow the steps that your browser shows …",
    failed: "No passkey was used. Make sure that you have one on this device or beside it, then try again.",
    unsupported: "This browser does not support passkeys. Use another browser.",
    wrong: "The passkey was not accepted. Try another one, or sign in another way.",
    paused: "There were too many tries. Wait a while, then try again.",
  },
  secondFactor: {
    title: "Use your security key",
    lead: "Plug it in or hold it to the device, then touch it when it blinks.",
    button: "Use security key",
    wrong: "The security key was not accepted. Try again with one that you have registered here.",
    paused: "There were too many tries. Wait 15 minutes, then try again.",
  },
  otherFactor: {
    U2F: "Use a security key instead",
    TOTP: "Use an authenticator app instead",
    RECOVERY_CODE: "Use a recovery code",
  },
  totp: {
    title: "Enter your code",
    lead: "Open your authenticator app and type the code that it shows for this account.",
    code: "Code",
    submit: "Continue",
    wrong: "The code is wrong, or it was used before. Wait for the next code, then type that one.",
  },
  recoveryCode: {
    title: "Use a recovery code",
    lead: "Type one of the recovery codes that you have kept. Each code works once.",
    code: "Recovery code",
    submit: "Continue",
    wrong: "The recovery code is wrong, or it was used before. Check it, or use another one.",
  },
  newTotp: {
    title: "Add an authenticator app",
    lead: "You need a second factor to sign in here. An app on your phone makes codes for it.",
    scan: "Scan this picture with the app.",
    picture: "QR code for your authenticator app",
    secret: "If you cannot scan it, type this key into the app:",
    code: "Code that the app shows",
    submit: "Add app",
    wrong: "The code is wrong. Wait for the next code that the app shows, then type that one.",
    expired: "That took too long. Remove the account from the app, and scan the new picture.",
  },
  newFactor: {
    title: "Add a security key",
    lead: "You need a second factor to sign in here. Plug in a security key, then touch it when it blinks.",
    button: "Add security key",
    wrong: "The security key was not accepted. Try again.",
    taken: "This security key is already registered. Use another one.",
    impossible:
      "You need a second factor to sign in, but none can be registered here. Ask your administrators.",
  },
  reviewFactors: {
    title: "Are these yours?",
    lead: "You have new rights, and somebody else set up these ways to sign in for you. Remove each one that others may be able to use.",
    kinds: {
      U2F: "Security key",
      TOTP: "Authenticator app",
      RECOVERY_CODES: "Recovery codes",
      PASSKEY: "Passkey",
    },
    added: (day) => `Set up on ${day}`,
    identity: ({ provider, identity }) =>
      identity === "" ? withNames`Account at ${provider}` : withNames`Account ${identity} at ${provider}`,
    keep: "Keep it",
    remove: "Remove it",
    missing: "Choose for each one whether to keep or remove it.",
  },
  newPassword: {
    title: "Choose a new password",
    lead: "Your password was chosen by somebody else. Choose one that only you know.",
    current: "Current password",
    password: "New password",
    repeated: "Repeat new password",
    submit: "Set password",
    wrong: "The current password is wrong. Try again.",
    paused: "There were too many tries. Wait a while, then try again.",
    rules: {
      min_length: (least) => `The new password must have at least ${least} characters.`,
      max_length: () => "The new password must have at most 200 characters.",
      personal: () => "The new password must not be your username, your email address or your name.",
      common: () =>
        "This password is easy to guess. Do not build it of names, common words, rows of keys or years.",
      breached: () => "This password is known from a data breach. Choose another one.",
      not_repeated: () => "The two new passwords are not the same. Type the same one twice.",
      same: () => "The new password is the current one. Choose another one.",
    },
  },
  forgottenPassword: {
    link: "Forgot your password?",
    title: "Forgot your password?",
    lead: "Type your username. We send you an email with a link to set a new password.",
    submit: "Send link",
    paused: "There were too many requests. Wait a while, then try again.",
    sentTitle: "Check your email",
    sent: "If there is an account with this username and a verified email address, a link is on its way to it. It is valid for 30 minutes.",
    sentHint: "Nothing has arrived? Look into your spam folder, or ask your administrators.",
    back: "Back to sign-in",
  },
  resetPassword: {
    title: "Choose a password",
    lead: "You will sign in with it from now on. All your other devices are signed out.",
    code: "Code",
    submit: "Set password",
    wrong: "The link or the code is wrong, has expired or was already used. Ask for another one.",
    doneTitle: "Your password is set",
    done: "You can close this page and sign in wherever you need to.",
  },
  newIdentity: {
    title: "You have no account here yet",
    lead: ({ provider, identity }) =>
      identity === ""
        ? withNames`You have signed in with ${provider}.`
        : withNames`You have signed in with ${provider} as ${identity}.`,
    noneTitle: "You have no account here",
    none: ({ provider, identity }) =>
      identity === ""
        ? withNames`Your account at ${provider} is not connected with an account here. Ask your administrators.`
        : withNames`Your account ${identity} at ${provider} is not connected with an account here. Ask your administrators.`,
    link: "Sign in to my account",
    linkTitle: "Do you have an account here?",
    linkHint: "There seems to be an account of yours. Sign in to it once to connect the two.",
    linkUnknown:
      "No account here is connected with it. If you have one, sign in to it once to connect the two. If not, ask your administrators.",
    linkInstead: "Connect my account here",
    create: "Create a new account",
    missing: "A new account needs this as well:",
    taken: "The username of your new account is already taken. Choose another one.",
    another: "Sign in another way",
  },
  linkIdentity: {
    title: (provider) => withNames`Connect your account with ${provider}?`,
    lead: ({ provider, identity, username }) =>
      withNames`You could then sign in as ${username} with your account ${identity !== "" && withNames`${identity} `}at ${provider}.`,
    notTheirs: ({ provider, username }) =>
      withNames`You have signed in as ${username}. This account cannot be connected with the one at ${provider}, so nothing was changed.`,
    full: ({ provider, username }) =>
      withNames`You have signed in as ${username}. This account is already connected with the maximum number of others, so it was not connected with the one at ${provider}. Disconnect one first.`,
    link: "Connect",
    skip: "Continue without connecting",
    without: "Sign in without connecting",
  },
  ownFactor: {
    title: "This is not enough to sign in",
    lead: "You have a role outside your own organization, so you need a second factor of this service to sign in like this. Sign in another way and add one.",
  },
  firstPassword: {
    password: "Password",
    repeated: "Repeat password",
    atLeast: (minLength) => `At least ${minLength} characters`,
  },
  profile: {
    username: "Username",
    givenName: "First name",
    familyName: "Last name",
    email: "Email address",
    faults: {
      username: "Type a username of at most 200 visible characters.",
      username_taken: "Somebody else has this username. Choose another one.",
      given_name: "Type a first name of at most 200 visible characters.",
      family_name: "Type a last name of at most 200 visible characters.",
      email: "Type an email address such as ada@example.com.",
    },
  },
  register: {
    title: "Create an account",
    lead: (application) => withNames`to continue to ${application}`,
    submit: "Create account",
    paused: "Too many accounts were requested from your network. Wait an hour, then try again.",
    hasAccount: "Do you already have an account?",
    signIn: "Sign in",
    hasNone: "New here?",
    link: "Create an account",
  },
  setup: {
    title: "Set up the first administrator",
    lead: "The new user can do everything in this installation.",
    submit: "Create administrator",
    opensPolicy:
      "The login policy of this service does not let administrators sign in with only a password. If you create this administrator, passwords are allowed again, for everybody under this policy. You can change the policy afterwards.",
    goneTitle: "This link no longer works",
    gone: "It was already used, has expired, or is not complete. The command “setup link” of Gatehouse makes another one.",
    factorLead:
      "You are signed in. Add a security key now, so that a password alone is not enough to act as an administrator.",
    totpLead:
      "You are signed in. Set up an authenticator app now, so that a password alone is not enough to act as an administrator.",
    skip: "Not now",
    doneTitle: "Everything is set up",
    done: "The administrator can sign in. You can close this page.",
  },
  device: {
    codeTitle: "Connect a device",
    codeLead: "Type the code that your device shows.",
    code: "Code",
    wrong: "This code is wrong, was already used, or has expired. Check it, or start again on your device.",
    paused: "There were too many wrong codes from your network. Wait 15 minutes, then try again.",
    title: (application) => withNames`Sign in to ${application} on a device?`,
    lead: ({ application, organization }) =>
      withNames`${application}, which belongs to ${organization}, asks for this on a device that shows the code:`,
    own: "Allow this only if you see the code on a device of your own. If somebody sent you the code or a link, choose “Cancel”: they would be signed in as you.",
    account: (username) => withNames`You are signed in here as ${username}.`,
    allow: "Allow",
    ends: {
      allowed: {
        title: "Your device is signed in",
        sentence: "You can go back to your device, and close this page.",
      },
      canceled: {
        title: "Nothing was allowed",
        sentence: "The device is not signed in. You can close this page.",
      },
      "no-access": {
        title: "You may not use this application",
        sentence: "The device is not signed in. Ask the people who run the application for access.",
      },
      gone: {
        title: "This code no longer works",
        sentence: "It was already used, or has expired. Start again on your device.",
      },
    },
  },
  logout: {
    title: "Sign out?",
    lead: "This ends your session in this browser.",
    submit: "Sign out",
    goingOn: "You are being signed out",
    done: { title: "You are signed out", sentence: "You can close this window." },
    partial: {
      title: "You are signed out here",
      sentence:
        "You may still be signed in to some applications. To be sure, sign out there too, or close your browser.",
    },
  },
  errors: {
    "bad-request": {
      title: "This did not work",
      sentence: "The request of your browser cannot be read. Go back and try again.",
    },
    "begin-again": {
      title: "Please begin again",
      sentence:
        "This sign-in has ended, or it was begun in another browser. Go back to the application and sign in from there.",
    },
    "signed-in": {
      title: "You have signed in",
      sentence:
        "The form was sent twice, and the first time was enough. Go back to the application. If it asks again, sign in once more.",
    },
    refused: {
      title: "You have not signed in",
      sentence:
        "This sign-in was cancelled. To try again, go back to the application and sign in from there.",
    },
    "foreign-form": {
      title: "This did not work",
      sentence:
        "The form did not come from this site, so nothing was done. Go back to the application and sign in from there.",
    },
    "not-a-visit": {
      title: "Open this page by itself",
      sentence:
        "It does not work inside a page of another site. Go back to the application and sign in from there.",
    },
    "not-found": { title: "There is nothing here", sentence: "Check the address and try again." },
    "bad-application-request": {
      title: "This sign-in cannot begin",
      sentence: "The application sent an invalid request. Its developers can find out why.",
    },
    "bad-logout-message": {
      title: "This sign-out cannot go on",
      sentence:
        "The application sent an invalid message, so you may still be signed in. Its developers can find out why.",
    },
    "logout-over": {
      title: "This sign-out is over",
      sentence:
        "It has ended, or was begun in another browser. Go back to the application and check whether you are signed out.",
    },
    "unknown-application": {
      title: "This sign-in cannot begin",
      sentence: "The application is not known here. Its developers can find out why.",
    },
    "unregistered-redirect": {
      title: "This sign-in cannot begin",
      sentence:
        "The application wants to send you to an address that is not registered for it. Its developers can find out why.",
    },
    "inactive-application": {
      title: "This application is switched off",
      sentence: "Nobody can sign in to it at the moment. Ask the people who run it.",
    },
    "wrong-application-settings": {
      title: "This sign-in cannot begin",
      sentence: "The settings of the application do not allow it. Ask the people who run the application.",
    },
    "provider-off": {
      title: "This way to sign in is switched off",
      sentence: "Sign in another way, or ask the people who run the application.",
    },
    "no-account": {
      title: "You cannot sign in with this account",
      sentence: "No user here may sign in with it. Ask your administrators.",
    },
    "link-in-question": {
      title: "This account needs your confirmation",
      sentence:
        "Somebody else connected it with your account here. Sign in another way and say whether it is yours, or ask your administrators.",
    },
    "provider-denied": {
      title: "You are not signed in",
      sentence:
        "The sign-in was cancelled, or the other service did not let you in. Try again, or sign in another way.",
    },
    "provider-refused": {
      title: "You are not signed in",
      sentence:
        "The answer of the other service cannot be used. Try again, or ask the people who run the application.",
    },
    "provider-login-old": {
      title: "A new sign-in is needed",
      sentence:
        "The other service did not ask you to sign in again, or does not say when you did. Sign out there and try again, or sign in another way.",
    },
    "provider-unavailable": {
      title: "You cannot sign in there at the moment",
      sentence: "The other service does not answer. Try again in a few minutes, or sign in another way.",
    },
    "wrong-verb": {
      title: "This did not work",
      sentence: "This address cannot be used in that way. Go back and try again.",
    },
    "too-large": {
      title: "This was too large",
      sentence: "Go back and try again with less text.",
    },
    "too-many-requests": {
      title: "Busy at the moment",
      sentence: "Wait a moment, then try again. Nothing was done.",
    },
    unavailable: { title: "Not possible at the moment", sentence: "Wait a moment, then try again." },
    fault: {
      title: "Something went wrong",
      sentence: "The fault is ours. Try again later, or tell the people who run this service.",
    },
  },
};
