import type { english } from "./en.ts";
import type { PartlyWords } from "./words.ts";

/** French. */
export const french: PartlyWords<typeof english> = {
  login: {
    continue: "Continuer",
    cancel: "Annuler",
    back: "Retour à l’application",
    otherWay: "Se connecter autrement",
    toAccount: "Accéder à votre compte",
    handOver: "Si rien ne se passe, choisissez « Continuer ».",
    requestId: "Requête {id}",
    password: {
      title: "Connexion",
      lead: "pour continuer vers {application}",
      names: {
        USERNAME: "nom d’utilisateur",
        EMAIL: "adresse e-mail",
        PHONE: "téléphone",
      },
      password: "Mot de passe",
      submit: "Se connecter",
      wrong: "Le nom ou le mot de passe est incorrect. Vérifiez les deux et réessayez.",
      paused: "Il y a eu trop de tentatives. Patientez un moment, puis réessayez.",
      or: "ou",
      nothing:
        "Personne ne peut se connecter ici pour le moment. Adressez-vous aux responsables de l’application.",
    },
    legal: { terms: "Conditions d’utilisation", privacy: "Confidentialité", help: "Aide" },
    identityProviders: {
      google: "Se connecter avec Google",
    },
    directory: {
      title: "Se connecter avec {directory}",
      lead: "Utilisez le nom et le mot de passe que vous avez chez {directory}.",
      name: "Nom",
      password: "Mot de passe chez {directory}",
    },
    account: {
      title: "Choisir un compte",
      lead: "pour continuer vers {application}",
      use: "Continuer en tant que {name}",
      another: "Utiliser un autre compte",
    },
    confirm: {
      title: "Continuer vers {application} ?",
      lead: "{application} appartient à {organization}, qui n’est pas votre organisation.",
      leadHome: "{application} appartient à {organization}.",
      more: "Cette application demande plus que ce que vous avez autorisé jusqu’ici.",
      described:
        "{application} n’est pas enregistrée ici. Le site {host} la décrit ; personne n’a vérifié son nom.",
      registered:
        "{application} s’est enregistrée elle-même ici. Personne n’a vérifié son nom ni son origine.",
      returnsTo: "Vous serez ensuite envoyé vers {place}.",
      onDevice:
        "Cette adresse se trouve sur votre propre appareil. Ne continuez que si vous venez d’y lancer vous-même cette application.",
      isNew: "Nouveau :",
      told: "Elle apprendra :",
      claims: {
        identity: "votre nom d’utilisateur et un identifiant de votre compte",
        profile: "votre nom",
        email: "votre adresse e-mail",
        phone: "votre numéro de téléphone",
        roles: "vos rôles dans son projet",
        "other-roles": "vos rôles dans les projets ci-dessous",
        organization: "votre organisation",
      },
      metadata: "ce que votre organisation a enregistré à votre sujet sous « {key} »",
      offline: "l’accès à tout cela en votre absence, jusqu’à 90 jours",
      audiences: "En votre nom, l’application utilisera aussi :",
      project: "{project} de {organization}, qui reçoit les mêmes informations sur vous",
      resource: "{api} dans le projet {project} de {organization}",
      mayDo: "Avec ces API, elle pourra :",
      scope: "{scope} ({api})",
      api: "ce service lui-même, avec tout ce que vous pouvez y faire",
    },
    securityKey: {
      needsScript:
        "Cette page a besoin de JavaScript, car les navigateurs ne donnent accès aux clés de sécurité qu’aux scripts. Activez-le, puis rechargez la page.",
      waiting: "Touchez votre clé de sécurité …",
      failed: "La clé de sécurité n’a pas répondu. Vérifiez qu’elle est branchée, puis réessayez.",
      unsupported: "Ce navigateur ne prend pas en charge les clés de sécurité. Utilisez un autre navigateur.",
      name: "Nom de la clé de sécurité",
      defaultName: "Clé de sécurité",
    },
    passkey: {
      title: "Se connecter avec une clé d’accès",
      lead: "Votre appareil demande votre empreinte, votre visage ou un code PIN. Il n’y a rien à saisir ici.",
      neededLead: "Un mot de passe ne suffit pas pour se connecter ici. Votre clé d’accès suffit.",
      button: "Utiliser une clé d’accès",
      another: "Se connecter autrement",
      needsScript:
        "Cette page a besoin de JavaScript, car les navigateurs ne donnent accès aux clés d’accès qu’aux scripts. Activez-le, puis rechargez la page.",
      waiting: "Suivez les étapes que votre navigateur affiche …",
      failed:
        "Aucune clé d’accès n’a été utilisée. Vérifiez que vous en avez une sur cet appareil ou à proximité, puis réessayez.",
      unsupported: "Ce navigateur ne prend pas en charge les clés d’accès. Utilisez un autre navigateur.",
      wrong: "La clé d’accès n’a pas été acceptée. Essayez-en une autre ou connectez-vous autrement.",
      paused: "Il y a eu trop de tentatives. Patientez un moment, puis réessayez.",
    },
    secondFactor: {
      title: "Utilisez votre clé de sécurité",
      lead: "Branchez-la ou approchez-la de l’appareil, puis touchez-la lorsqu’elle clignote.",
      button: "Utiliser la clé de sécurité",
      wrong: "La clé de sécurité n’a pas été acceptée. Réessayez avec une clé que vous avez enregistrée ici.",
      paused: "Il y a eu trop de tentatives. Patientez 15 minutes, puis réessayez.",
    },
    otherFactor: {
      U2F: "Utiliser plutôt une clé de sécurité",
      TOTP: "Utiliser plutôt une application d’authentification",
      RECOVERY_CODE: "Utiliser un code de récupération",
      EMAIL_CODE: "Recevoir plutôt un code par e-mail",
      SMS_CODE: "Recevoir plutôt un code par SMS",
    },
    sentCode: {
      title: "Recevoir un code",
      leads: {
        EMAIL_CODE: "Nous envoyons un code à {address}.",
        SMS_CODE: "Nous envoyons un code par SMS au {address}.",
      },
      send: "Envoyer un code",
      sent: "Un code est en route vers {address}. Il est valable 10 minutes.",
      again: "Envoyer un autre code",
      wrong: "Le code est incorrect. Vérifiez-le et réessayez.",
      gone: "Ce code ne peut plus être utilisé. Envoyez-en un autre.",
      tooMany:
        "Un code vient d’être envoyé, ou il y en a eu trop. Attendez un peu, puis envoyez-en un autre.",
      unsent: "Aucun code ne peut être envoyé pour le moment. Réessayez plus tard.",
    },
    totp: {
      title: "Saisissez votre code",
      lead: "Ouvrez votre application d’authentification et saisissez le code qu’elle affiche pour ce compte.",
      code: "Code",
      submit: "Continuer",
      wrong: "Le code est incorrect ou a déjà été utilisé. Attendez le code suivant, puis saisissez-le.",
    },
    recoveryCode: {
      title: "Utiliser un code de récupération",
      lead: "Saisissez l’un des codes de récupération que vous avez conservés. Chaque code fonctionne une fois.",
      code: "Code de récupération",
      submit: "Continuer",
      wrong:
        "Le code de récupération est incorrect ou a déjà été utilisé. Vérifiez-le ou utilisez-en un autre.",
    },
    newTotp: {
      title: "Ajouter une application d’authentification",
      lead: "Un second facteur est nécessaire pour se connecter ici. Une application sur votre téléphone génère des codes pour cela.",
      scan: "Scannez cette image avec l’application.",
      picture: "Code QR pour votre application d’authentification",
      secret: "Si vous ne pouvez pas la scanner, saisissez cette clé dans l’application :",
      code: "Code affiché par l’application",
      submit: "Ajouter l’application",
      wrong: "Le code est incorrect. Attendez le code suivant affiché par l’application, puis saisissez-le.",
      expired:
        "Cela a pris trop de temps. Supprimez le compte de l’application et scannez la nouvelle image.",
    },
    newFactor: {
      title: "Ajouter une clé de sécurité",
      lead: "Un second facteur est nécessaire pour se connecter ici. Branchez une clé de sécurité, puis touchez-la lorsqu’elle clignote.",
      button: "Ajouter la clé de sécurité",
      wrong: "La clé de sécurité n’a pas été acceptée. Réessayez.",
      taken: "Cette clé de sécurité est déjà enregistrée. Utilisez-en une autre.",
      impossible:
        "Un second facteur est nécessaire pour se connecter, mais aucun ne peut être enregistré ici. Adressez-vous à vos administrateurs.",
    },
    reviewFactors: {
      title: "Est-ce bien à vous ?",
      lead: "Vous avez de nouveaux droits, et quelqu’un d’autre a configuré ces moyens de connexion pour vous. Supprimez chacun de ceux que d’autres pourraient utiliser.",
      kinds: {
        U2F: "Clé de sécurité",
        TOTP: "Application d’authentification",
        RECOVERY_CODES: "Codes de récupération",
        PASSKEY: "Clé d’accès",
      },
      added: "Configuré le {day}",
      identity: "Compte chez {provider}",
      namedIdentity: "Compte {identity} chez {provider}",
      keep: "Le conserver",
      remove: "Le supprimer",
      missing: "Indiquez pour chacun s’il faut le conserver ou le supprimer.",
    },
    newPassword: {
      title: "Choisissez un nouveau mot de passe",
      lead: "Votre mot de passe a été choisi par quelqu’un d’autre. Choisissez-en un que vous seul connaissez.",
      current: "Mot de passe actuel",
      password: "Nouveau mot de passe",
      repeated: "Répétez le nouveau mot de passe",
      submit: "Définir le mot de passe",
      wrong: "Le mot de passe actuel est incorrect. Réessayez.",
      paused: "Il y a eu trop de tentatives. Patientez un moment, puis réessayez.",
      rules: {
        min_length: "Le nouveau mot de passe doit comporter au moins {least} caractères.",
        max_length: "Le nouveau mot de passe doit comporter au plus 200 caractères.",
        personal:
          "Le nouveau mot de passe ne doit pas être votre nom d’utilisateur, votre adresse e-mail ni votre nom.",
        common:
          "Ce mot de passe est facile à deviner. Ne le composez pas de noms, de mots courants, de suites de touches ou d’années.",
        breached: "Ce mot de passe est connu à la suite d’une fuite de données. Choisissez-en un autre.",
        not_repeated: "Les deux nouveaux mots de passe ne sont pas identiques. Saisissez deux fois le même.",
        same: "Le nouveau mot de passe est le mot de passe actuel. Choisissez-en un autre.",
      },
    },
    forgottenPassword: {
      link: "Mot de passe oublié ?",
      title: "Mot de passe oublié ?",
      lead: "Saisissez le nom avec lequel vous vous connectez. Vous recevrez un e-mail avec un lien pour définir un nouveau mot de passe.",
      submit: "Envoyer le lien",
      paused: "Il y a eu trop de demandes. Patientez un moment, puis réessayez.",
      sentTitle: "Consultez vos e-mails",
      sent: "S’il existe un compte avec ce nom et une adresse e-mail vérifiée, un lien vient d’y être envoyé. Il est valable 30 minutes.",
      sentHint:
        "Rien n’est arrivé ? Regardez dans vos courriers indésirables ou adressez-vous à vos administrateurs.",
      back: "Retour à la connexion",
    },
    resetPassword: {
      title: "Choisissez un mot de passe",
      lead: "Vous vous connecterez désormais avec lui. Tous vos autres appareils sont déconnectés.",
      code: "Code",
      submit: "Définir le mot de passe",
      wrong: "Le lien ou le code est incorrect, a expiré ou a déjà été utilisé. Demandez-en un autre.",
      doneTitle: "Votre mot de passe est défini",
      done: "Vous pouvez fermer cette page et vous connecter où vous le souhaitez.",
    },
    invitation: {
      title: "Choisissez comment vous vous connectez",
      lead: "{organization} a créé un compte pour vous.",
      applicationLead:
        "{organization} a créé un compte pour vous, avec lequel vous pouvez utiliser {application}.",
      username: "Votre nom d’utilisateur est {username}.",
      submit: "Définir le mot de passe",
      passkeyTitle: "Créer une clé d’accès",
      passkeyLead:
        "Votre appareil demande votre empreinte, votre visage ou un code PIN, et conserve la clé d’accès.",
      passkeyButton: "Créer une clé d’accès",
      passkeyName: "Clé d’accès",
      passkeyFailed: "Aucune clé d’accès n’a été créée. Réessayez ou choisissez un autre moyen.",
      passkeyTaken: "Cette clé d’accès est déjà utilisée. Créez-en une autre.",
      another: "Choisir un autre moyen",
      doneTitle: "Votre compte est prêt",
      done: "Vous pouvez maintenant vous connecter.",
    },
    newIdentity: {
      title: "Vous n’avez pas encore de compte ici",
      lead: "Vous vous êtes connecté avec {provider}.",
      namedLead: "Vous vous êtes connecté avec {provider} en tant que {identity}.",
      noneTitle: "Vous n’avez pas de compte ici",
      none: "Votre compte chez {provider} n’est associé à aucun compte ici. Adressez-vous à vos administrateurs.",
      namedNone:
        "Votre compte {identity} chez {provider} n’est associé à aucun compte ici. Adressez-vous à vos administrateurs.",
      link: "Me connecter à mon compte",
      linkTitle: "Avez-vous un compte ici ?",
      linkHint: "Vous semblez avoir déjà un compte. Connectez-vous-y une fois pour associer les deux.",
      linkUnknown:
        "Aucun compte ici n’y est associé. Si vous en avez un, connectez-vous-y une fois pour associer les deux. Sinon, adressez-vous à vos administrateurs.",
      linkInstead: "Associer mon compte d’ici",
      create: "Créer un nouveau compte",
      missing: "Un nouveau compte a encore besoin de ceci :",
      taken: "Le nom d’utilisateur de votre nouveau compte est déjà pris. Choisissez-en un autre.",
      another: "Se connecter autrement",
    },
    linkIdentity: {
      title: "Associer votre compte à {provider} ?",
      lead: "Vous pourriez alors vous connecter en tant que {username} avec votre compte chez {provider}.",
      namedLead:
        "Vous pourriez alors vous connecter en tant que {username} avec votre compte {identity} chez {provider}.",
      notTheirs:
        "Vous vous êtes connecté en tant que {username}. Ce compte ne peut pas être associé à celui de {provider} ; rien n’a donc été modifié.",
      full: "Vous vous êtes connecté en tant que {username}. Ce compte est déjà associé au nombre maximal d’autres comptes ; il n’a donc pas été associé à celui de {provider}. Dissociez-en d’abord un.",
      link: "Associer",
      skip: "Continuer sans associer",
      without: "Se connecter sans associer",
    },
    ownFactor: {
      title: "Cela ne suffit pas pour se connecter",
      lead: "Vous avez un rôle en dehors de votre propre organisation ; il vous faut donc un second facteur de ce service pour vous connecter ainsi. Connectez-vous autrement et ajoutez-en un.",
    },
    firstPassword: {
      password: "Mot de passe",
      repeated: "Répétez le mot de passe",
      atLeast: "Au moins {minLength} caractères",
    },
    profile: {
      username: "Nom d’utilisateur",
      givenName: "Prénom",
      familyName: "Nom de famille",
      email: "Adresse e-mail",
      faults: {
        username: "Saisissez un nom d’utilisateur d’au plus 200 caractères visibles.",
        username_taken: "Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.",
        given_name: "Saisissez un prénom d’au plus 200 caractères visibles.",
        family_name: "Saisissez un nom de famille d’au plus 200 caractères visibles.",
        email: "Saisissez une adresse e-mail telle que ada@example.com.",
      },
    },
    register: {
      title: "Créer un compte",
      lead: "pour continuer vers {application}",
      submit: "Créer le compte",
      paused: "Trop de comptes ont été demandés depuis votre réseau. Patientez une heure, puis réessayez.",
      hasAccount: "Avez-vous déjà un compte ?",
      signIn: "Se connecter",
      hasNone: "Vous êtes nouveau ici ?",
      link: "Créer un compte",
    },
    setup: {
      title: "Configurer le premier administrateur",
      lead: "Le nouvel utilisateur pourra tout faire dans cette installation.",
      submit: "Créer l’administrateur",
      opensPolicy:
        "Selon les règles de connexion de ce service, un mot de passe seul ne suffit pas aux administrateurs. Si vous créez cet administrateur, les mots de passe seront de nouveau autorisés pour toutes les personnes soumises à ces règles. Vous pourrez les modifier ensuite.",
      goneTitle: "Ce lien ne fonctionne plus",
      gone: "Il a déjà été utilisé, a expiré ou n’est pas complet. La commande « setup link » de Gatehouse en crée un autre.",
      factorLead:
        "Vous êtes connecté. Ajoutez maintenant une clé de sécurité, afin qu’un mot de passe seul ne suffise pas pour agir en tant qu’administrateur.",
      totpLead:
        "Vous êtes connecté. Configurez maintenant une application d’authentification, afin qu’un mot de passe seul ne suffise pas pour agir en tant qu’administrateur.",
      skip: "Pas maintenant",
      doneTitle: "Tout est configuré",
      done: "L’administrateur peut se connecter. Vous pouvez fermer cette page.",
    },
    device: {
      codeTitle: "Connecter un appareil",
      codeLead: "Saisissez le code affiché par votre appareil.",
      code: "Code",
      wrong:
        "Ce code est incorrect, a déjà été utilisé ou a expiré. Vérifiez-le ou recommencez sur votre appareil.",
      paused: "Il y a eu trop de codes incorrects depuis votre réseau. Patientez 15 minutes, puis réessayez.",
      title: "Se connecter à {application} sur un appareil ?",
      lead: "{application}, qui appartient à {organization}, le demande sur un appareil qui affiche le code :",
      own: "N’autorisez ceci que si vous voyez le code sur un appareil à vous. Si quelqu’un vous a envoyé le code ou un lien, choisissez « Annuler » : cette personne serait connectée à votre place.",
      account: "Vous êtes connecté ici en tant que {username}.",
      allow: "Autoriser",
      ends: {
        allowed: {
          title: "Votre appareil est connecté",
          sentence: "Vous pouvez revenir à votre appareil et fermer cette page.",
        },
        canceled: {
          title: "Rien n’a été autorisé",
          sentence: "L’appareil n’est pas connecté. Vous pouvez fermer cette page.",
        },
        "no-access": {
          title: "Vous ne pouvez pas utiliser cette application",
          sentence: "L’appareil n’est pas connecté. Demandez l’accès aux responsables de l’application.",
        },
        gone: {
          title: "Ce code ne fonctionne plus",
          sentence: "Il a déjà été utilisé ou a expiré. Recommencez sur votre appareil.",
        },
      },
    },
    logout: {
      title: "Se déconnecter ?",
      lead: "Cela met fin à votre session dans ce navigateur.",
      submit: "Se déconnecter",
      goingOn: "Déconnexion en cours",
      done: {
        title: "Vous êtes déconnecté",
        sentence: "Vous pouvez fermer cette fenêtre.",
      },
      partial: {
        title: "Vous êtes déconnecté ici",
        sentence:
          "Vous êtes peut-être encore connecté à certaines applications. Par sécurité, déconnectez-vous aussi de celles-ci ou fermez votre navigateur.",
      },
    },
    retry: {
      again: "Réessayer",
      goBack: "Pour réessayer, revenez en arrière dans votre navigateur et répétez la dernière étape.",
      "too-many-requests": "Veuillez réessayer {when}. Rien n’a été fait.",
      unavailable: "Veuillez réessayer {when}.",
      start: "Aller à la page d’accueil",
      openConsole: "Aller à la console",
    },
    errors: {
      "bad-request": {
        title: "Cela n’a pas fonctionné",
        sentence: "La requête de votre navigateur est illisible. Revenez en arrière et réessayez.",
      },
      "begin-again": {
        title: "Veuillez recommencer",
        sentence:
          "Cette connexion est terminée ou a été commencée dans un autre navigateur. Revenez à l’application et connectez-vous à partir de là.",
      },
      "signed-in": {
        title: "Vous vous êtes connecté",
        sentence:
          "Le formulaire a été envoyé deux fois et la première a suffi. Revenez à l’application. Si elle le demande encore, connectez-vous à nouveau.",
      },
      refused: {
        title: "Vous ne vous êtes pas connecté",
        sentence:
          "Cette connexion a été annulée. Pour réessayer, revenez à l’application et connectez-vous à partir de là.",
      },
      "foreign-form": {
        title: "Cela n’a pas fonctionné",
        sentence:
          "Le formulaire ne provenait pas de ce site ; rien n’a donc été fait. Revenez à l’application et connectez-vous à partir de là.",
      },
      "not-a-visit": {
        title: "Ouvrez cette page seule",
        sentence:
          "Elle ne fonctionne pas à l’intérieur d’une page d’un autre site. Revenez à l’application et connectez-vous à partir de là.",
      },
      "not-found": {
        title: "Il n’y a rien ici",
        sentence: "Vérifiez l’adresse et réessayez.",
      },
      "bad-application-request": {
        title: "Cette connexion ne peut pas commencer",
        sentence:
          "L’application a envoyé une requête non valide. Ses développeurs peuvent en trouver la raison.",
      },
      "bad-logout-message": {
        title: "Cette déconnexion ne peut pas continuer",
        sentence:
          "L’application a envoyé un message non valide ; vous êtes peut-être encore connecté. Ses développeurs peuvent en trouver la raison.",
      },
      "logout-over": {
        title: "Cette déconnexion est terminée",
        sentence:
          "Elle a pris fin ou a été commencée dans un autre navigateur. Revenez à l’application et vérifiez si vous êtes déconnecté.",
      },
      "unknown-application": {
        title: "Cette connexion ne peut pas commencer",
        sentence: "L’application n’est pas connue ici. Ses développeurs peuvent en trouver la raison.",
      },
      "unregistered-redirect": {
        title: "Cette connexion ne peut pas commencer",
        sentence:
          "L’application veut vous envoyer à une adresse qui n’est pas enregistrée pour elle. Ses développeurs peuvent en trouver la raison.",
      },
      "inactive-application": {
        title: "Cette application est désactivée",
        sentence: "Personne ne peut s’y connecter pour le moment. Adressez-vous à ses responsables.",
      },
      "wrong-application-settings": {
        title: "Cette connexion ne peut pas commencer",
        sentence:
          "Les paramètres de l’application ne le permettent pas. Adressez-vous aux responsables de l’application.",
      },
      "invitation-over": {
        title: "Cette invitation ne fonctionne plus",
        sentence:
          "Son lien a expiré, a déjà été utilisé ou n’est pas complet. Si vous ne pouvez pas vous connecter, demandez-en un autre aux personnes qui vous ont invité.",
      },
      "provider-off": {
        title: "Ce moyen de connexion est désactivé",
        sentence: "Connectez-vous autrement ou adressez-vous aux responsables de l’application.",
      },
      "no-account": {
        title: "Vous ne pouvez pas vous connecter avec ce compte",
        sentence:
          "Aucun utilisateur ne peut se connecter ici avec ce compte. Adressez-vous à vos administrateurs.",
      },
      "link-in-question": {
        title: "Ce compte doit être confirmé par vous",
        sentence:
          "Quelqu’un d’autre l’a associé à votre compte ici. Connectez-vous autrement et indiquez s’il est à vous, ou adressez-vous à vos administrateurs.",
      },
      "provider-denied": {
        title: "Vous n’êtes pas connecté",
        sentence:
          "La connexion a été annulée, ou l’autre service ne vous a pas laissé entrer. Réessayez ou connectez-vous autrement.",
      },
      "provider-refused": {
        title: "Vous n’êtes pas connecté",
        sentence:
          "La réponse de l’autre service est inutilisable. Réessayez ou adressez-vous aux responsables de l’application.",
      },
      "provider-login-old": {
        title: "Une nouvelle connexion est nécessaire",
        sentence:
          "L’autre service ne vous a pas demandé de vous reconnecter ou n’indique pas quand vous l’avez fait. Déconnectez-vous là-bas et réessayez, ou connectez-vous autrement.",
      },
      "provider-unavailable": {
        title: "Vous ne pouvez pas vous y connecter pour le moment",
        sentence:
          "L’autre service ne répond pas. Réessayez dans quelques minutes ou connectez-vous autrement.",
      },
      "hook-refused": {
        title: "Vous ne pouvez pas vous connecter ici",
        sentence:
          "L’organisation qui gère l’application ne vous laisse pas entrer. Ses propres mots suivent, si elle en donne.",
      },
      "hook-failed": {
        title: "Vous ne pouvez pas vous connecter pour le moment",
        sentence:
          "Une vérification exigée par l’organisation n’a pas pu être faite. Réessayez dans quelques minutes.",
      },
      "wrong-verb": {
        title: "Cela n’a pas fonctionné",
        sentence: "Cette adresse ne peut pas être utilisée ainsi. Revenez en arrière et réessayez.",
      },
      "too-large": {
        title: "C’était trop volumineux",
        sentence: "Revenez en arrière et réessayez avec moins de texte.",
      },
      "too-many-requests": {
        title: "Service très sollicité",
        sentence: "Patientez un instant, puis réessayez. Rien n’a été fait.",
      },
      unavailable: {
        title: "Impossible pour le moment",
        sentence: "Patientez un instant, puis réessayez.",
      },
      fault: {
        title: "Une erreur s’est produite",
        sentence:
          "La faute est de notre côté. Réessayez plus tard ou prévenez les responsables de ce service.",
      },
    },
  },
  account: {
    title: "Votre compte",
    back: "Votre compte",
    lead: "Vous êtes connecté en tant que {name}.",
    more: "Afficher plus",
    remove: "Supprimer",
    signOut: "Se déconnecter",
    unknown: "Non renseigné",
    verified: "vérifiée",
    unverified: "non vérifiée",
    places: {
      profile: {
        title: "Données personnelles",
        hint: "Ce qui est enregistré à votre sujet",
      },
      email: {
        title: "E-mail",
        hint: "L’adresse utilisée si vous oubliez votre mot de passe",
      },
      phone: {
        title: "Téléphone",
        hint: "Le numéro auquel vous êtes joignable",
      },
      password: {
        title: "Mot de passe",
        hint: "Changer le mot de passe avec lequel vous vous connectez",
      },
      passkeys: {
        title: "Clés d’accès",
        hint: "Se connecter sans mot de passe",
      },
      factors: {
        title: "Seconds facteurs",
        hint: "Ce qui vous protège si quelqu’un apprend votre mot de passe",
      },
      "recovery-codes": {
        title: "Codes de récupération",
        hint: "Pour le cas où vous perdriez votre second facteur",
      },
      links: {
        title: "Comptes associés",
        hint: "Les comptes externes avec lesquels vous vous connectez",
      },
      sessions: {
        title: "Sessions",
        hint: "Les navigateurs dans lesquels vous êtes connecté",
      },
      applications: {
        title: "Applications",
        hint: "Les applications qui peuvent voir vos données ou agir pour vous",
      },
      tokens: {
        title: "Jetons d’accès personnels",
        hint: "Les programmes qui agissent en votre nom",
      },
    },
    profile: {
      lead: "Vos administrateurs gèrent ces informations. Adressez-vous à eux en cas d’erreur.",
      labels: {
        username: "Nom d’utilisateur",
        displayName: "Nom affiché",
        name: "Nom",
        email: "Adresse e-mail",
        language: "Langue",
        organization: "Organisation",
      },
    },
    phone: {
      lead: "Vous recevez un code par SMS, qui montre que le numéro est le vôtre.",
      label: "Numéro de téléphone",
      example: "Avec l’indicatif du pays, par exemple +41 44 668 18 00",
      set: "Envoyer le code",
      replace: "Utiliser un autre numéro",
      remove: "Supprimer le numéro",
    },
    email: {
      lead: "Vous recevez un code par e-mail, qui montre que l’adresse est la vôtre.",
      label: "Adresse e-mail",
      replace: "Utiliser une autre adresse",
      set: "Envoyer le code",
      same: "C’est déjà votre adresse.",
    },
    codes: {
      lead: "Saisissez le code envoyé à {address}.",
      code: "Code",
      verify: "Vérifier",
      resend: "Envoyer un autre code",
    },
    password: {
      lead: "Toutes vos autres sessions prennent fin, et les applications doivent se reconnecter.",
      changed: "Dernière modification le {date}.",
      submit: "Changer le mot de passe",
      none: "Vous n’avez pas de mot de passe. Pour en obtenir un, choisissez « Mot de passe oublié » lors de la connexion ou adressez-vous à vos administrateurs.",
    },
    passkeys: {
      lead: "Vous pouvez vous connecter avec chacune d’elles, sans mot de passe.",
      none: "Vous n’avez pas de clé d’accès. Avec une clé d’accès, vous vous connectez par votre empreinte, votre visage ou un code PIN, et aucun mot de passe ne peut être volé.",
      added: "Ajoutée le {date}",
      copied: "copiée sur vos autres appareils",
      add: "Ajouter une clé d’accès",
      newTitle: "Ajouter une clé d’accès",
      newLead:
        "Votre appareil demande votre empreinte, votre visage ou un code PIN, et conserve la clé d’accès.",
      name: "Nom de la clé d’accès",
      defaultName: "Clé d’accès",
      button: "Ajouter la clé d’accès",
      wrong: "La clé d’accès n’a pas été acceptée. Réessayez.",
      failed:
        "Aucune clé d’accès n’a été créée. Cet appareil en a peut-être déjà une ou ne les prend pas en charge. Réessayez ou utilisez un autre appareil.",
      impossible: "Aucune clé d’accès ne peut être enregistrée ici. Adressez-vous à vos administrateurs.",
      removeTitle: "Supprimer cette clé d’accès ?",
      removeLead:
        "Vous ne pourrez plus vous connecter avec « {name} ». Supprimez-la aussi sur votre appareil.",
    },
    factors: {
      lead: "L’un d’eux vous est demandé après votre mot de passe.",
      none: "Vous n’avez pas de second facteur : toute personne connaissant votre mot de passe peut se connecter à votre place.",
      added: "Ajouté le {date}",
      app: "Application d’authentification",
      add: "Ajouter une clé de sécurité",
      addApp: "Ajouter une application d’authentification",
      codes: { EMAIL_CODE: "Codes par e-mail", SMS_CODE: "Codes par SMS" },
      addCodes: { EMAIL_CODE: "Ajouter les codes par e-mail", SMS_CODE: "Ajouter les codes par SMS" },
      newLead: "Branchez-la ou approchez-la de l’appareil, puis touchez-la lorsqu’elle clignote.",
      impossible:
        "Aucun facteur de ce type ne peut être enregistré ici. Adressez-vous à vos administrateurs.",
      removeTitle: "Supprimer ce second facteur ?",
      removeLead: "Vous ne pourrez plus vous connecter avec « {name} ».",
      codesLead:
        "Vous n’avez pas de codes de récupération. Sans eux, vous ne pourrez pas vous connecter si vous perdez votre second facteur.",
      makeCodes: "Créer des codes de récupération",
    },
    recoveryCodes: {
      lead: "Chaque code vous connecte une fois, après votre mot de passe, si vous avez perdu votre second facteur.",
      none: "Vous n’avez pas de codes de récupération.",
      made: "Vos codes ont été créés le {date}. Codes inutilisés : {remaining}.",
      make: "Créer des codes de récupération",
      replace: "Remplacer tous les codes par de nouveaux",
      remove: "Supprimer tous les codes",
      keep: "Imprimez ces codes ou conservez-les en lieu sûr. Ils ne sont affichés que maintenant. Les anciens codes ne fonctionnent plus.",
      kept: "Je les ai conservés",
    },
    links: {
      lead: "Vous pouvez vous connecter ici avec ces comptes.",
      none: "Vous n’avez pas de compte externe avec lequel vous pouvez vous connecter ici.",
      made: "Associé le {date}",
      remove: "Supprimer ({name})",
    },
    sessions: {
      lead: "Si vous ne reconnaissez pas une session, mettez-y fin et changez votre mot de passe.",
      current: "Cette session",
      begun: "Connecté le {date}",
      from: "depuis {address}",
      by: "avec {methods}",
      end: "Mettre fin à la session ({browser})",
      endOthers: "Mettre fin à toutes les autres sessions",
      othersLead: "Les applications que vous utilisez dans d’autres sessions devront aussi se reconnecter.",
      browser: "{browser} sur {system}",
      unknownBrowser: "Navigateur inconnu",
      methods: {
        PASSWORD: "mot de passe",
        U2F: "clé de sécurité",
        PASSKEY: "clé d’accès",
        TOTP: "application d’authentification",
        RECOVERY_CODE: "code de récupération",
        IDP: "autre compte",
        EMAIL_CODE: "code par e-mail",
        SMS_CODE: "code par SMS",
      },
    },
    applications: {
      lead: "Vous avez autorisé ces applications à voir vos données ou à agir pour vous.",
      none: "Vous n’avez autorisé aucune application à agir pour vous.",
      since: "Peut agir pour vous en votre absence, depuis le {date}",
      onlyThen: "Voit vos données lorsque vous vous y connectez",
      remove: "Retirer l’accès ({application})",
    },
    tokens: {
      lead: "Toute personne qui détient l’un de ces jetons peut agir en votre nom. Supprimez chacun de ceux dont vous n’avez pas besoin.",
      none: "Vous n’avez pas de jeton d’accès personnel.",
      name: "Jeton {id}",
      made: "Créé le {date}",
      expires: "Expire le {date}",
      forever: "N’expire jamais",
      remove: "Supprimer ({name})",
    },
    outdated: {
      title: "Cette page n’était plus à jour",
      lead: "Vous vous êtes reconnecté depuis son affichage, ou le formulaire provenait d’ailleurs. Rien n’a été modifié.",
      again: "Afficher à nouveau la page",
    },
    refused: {
      title: "Vous ne vous êtes pas connecté",
      lead: "La connexion a été annulée, ou vous avez utilisé un autre compte. Rien n’a été modifié.",
      again: "Retour à votre compte",
    },
    tooWeak: {
      title: "Votre second facteur est nécessaire",
      lead: "Vous avez un second facteur, mais vous vous êtes connecté sans lui. Déconnectez-vous, puis connectez-vous avec lui. S’il ne vous est pas demandé, adressez-vous à vos administrateurs.",
    },
    signedOut: {
      again: "Se reconnecter",
    },
    done: {
      "password-set": "Votre mot de passe a été changé.",
      "email-set": "L’adresse a été enregistrée, et un code est en route.",
      "email-verified": "L’adresse est vérifiée.",
      "phone-set": "Le numéro a été enregistré, et un code est en route.",
      "phone-verified": "Le numéro est vérifié.",
      "phone-removed": "Le numéro a été supprimé.",
      "code-sent": "Un autre code est en route.",
      "passkey-added": "La clé d’accès a été ajoutée.",
      "passkey-removed": "La clé d’accès a été supprimée.",
      "factor-added": "Le second facteur a été ajouté.",
      "factor-removed": "Le second facteur a été supprimé.",
      "codes-removed": "Vos codes de récupération ont été supprimés.",
      "link-removed": "Le compte n’est plus associé.",
      "session-ended": "La session a pris fin.",
      "sessions-ended": "Toutes les autres sessions ont pris fin.",
      "application-removed": "L’accès de l’application a été retiré.",
      "token-removed": "Le jeton a été supprimé.",
    },
    faults: {
      ALREADY_EXISTS: "Cet appareil est déjà enregistré. Utilisez-en un autre.",
      CODE_EXHAUSTED: "Il y a eu trop de codes incorrects. Demandez-en un autre.",
      CODE_EXPIRED: "Le code a expiré. Demandez-en un autre.",
      CODE_INVALID: "Le code est incorrect. Vérifiez-le et réessayez.",
      CODE_NOT_PENDING: "Il n’y a pas de code à saisir. Demandez-en un.",
      FIELD_INVALID: "Ceci ne peut pas être utilisé. Vérifiez votre saisie.",
      LIMIT_REACHED: "Vous avez atteint le nombre maximal. Supprimez-en d’abord un.",
      LOCKS_OUT:
        "Vous administrez ce service et ne pourriez plus vous connecter ensuite. Ajoutez d’abord un autre moyen de connexion.",
      LOGIN_PAUSED: "Il y a eu trop de tentatives. Patientez un moment, puis réessayez.",
      MAIL_NOT_CONFIGURED:
        "Aucun e-mail ne peut être envoyé pour le moment. Adressez-vous à vos administrateurs.",
      PASSWORD_INVALID: "Le mot de passe actuel est incorrect. Réessayez.",
      RATE_LIMITED: "Il y a eu trop de tentatives. Patientez un moment, puis réessayez.",
      SMS_NOT_CONFIGURED:
        "Aucun SMS ne peut être envoyé pour le moment. Adressez-vous à vos administrateurs.",
      TOTP_INVALID:
        "Le code est incorrect ou a déjà été utilisé. Attendez le code suivant, puis saisissez-le.",
      U2F_CHALLENGE_INVALID: "Cela a pris trop de temps ou a été envoyé deux fois. Réessayez.",
    },
  },
  mails: {
    verification: {
      subject: "Vérifiez votre adresse e-mail",
      text: "Bonjour,\n\nVotre code de vérification est {code}. Il est valable {minutes} minutes.\n\nSi vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail.",
    },
    password: {
      subject: "Définissez votre mot de passe",
      text: "Bonjour,\n\nAvec ce lien, vous définissez le mot de passe de votre compte. Il est valable {minutes} minutes et fonctionne une seule fois :\n\n{link}\n\nSi vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail : rien ne change tant que le lien n’est pas utilisé.",
    },
    invitation: {
      subject: "Votre invitation de {organization}",
      text: "Bonjour,\n\n{organization} a créé un compte pour vous. Choisissez comment vous vous connectez :\n\n{link}\n\nLe lien est valable {days} jours et fonctionne une seule fois.\n\nSi vous ne connaissez pas {organization}, vous pouvez ignorer cet e-mail : rien ne se passe tant que le lien n’est pas utilisé.",
    },
    applicationInvitation: {
      subject: "Votre invitation à utiliser {application}",
      text: "Bonjour,\n\n{organization} a créé un compte pour vous, avec lequel vous pouvez utiliser {application}. Choisissez comment vous vous connectez :\n\n{link}\n\nLe lien est valable {days} jours et fonctionne une seule fois.\n\nSi vous ne connaissez pas {organization}, vous pouvez ignorer cet e-mail : rien ne se passe tant que le lien n’est pas utilisé.",
    },
  },
  sms: {
    verification: "{code} est votre code de vérification. Il est valable {minutes} minutes.",
  },
  notices: {
    subject: "Vos moyens de connexion ont changé",
    greeting: "Bonjour,\n\nVoici ce qui a changé sur votre compte :",
    changes: {
      password_added: "Un mot de passe a été défini",
      password_changed: "Le mot de passe a été changé",
      password_removed: "Le mot de passe a été supprimé",
      passkey_added: "Une clé d’accès a été ajoutée",
      passkey_removed: "Une clé d’accès a été supprimée",
      security_key_added: "Une clé de sécurité a été ajoutée comme second facteur",
      security_key_removed: "Une clé de sécurité a été supprimée",
      authenticator_app_added: "Une application d’authentification a été ajoutée comme second facteur",
      authenticator_app_removed: "Une application d’authentification a été supprimée",
      sent_codes_added: "Des codes par e-mail ou SMS ont été ajoutés comme second facteur",
      sent_codes_removed: "Des codes par e-mail ou SMS ont été supprimés comme second facteur",
      recovery_codes_added: "Des codes de récupération ont été créés",
      recovery_codes_replaced: "De nouveaux codes de récupération ont remplacé les anciens",
      recovery_codes_removed: "Les codes de récupération ont été supprimés",
      recovery_code_used: "Un code de récupération a été utilisé pour se connecter",
      provider_link_added:
        "Le compte a été associé à un fournisseur d’identité, avec lequel on peut se connecter",
      provider_link_removed: "L’association avec un fournisseur d’identité a été supprimée",
      username_changed: "Le nom d’utilisateur a été changé",
      email_changed:
        "L’adresse e-mail a été changée ; auparavant, c’était celle à laquelle cet e-mail est envoyé",
      email_removed:
        "L’adresse e-mail a été supprimée ; auparavant, c’était celle à laquelle cet e-mail est envoyé",
      personal_access_token_added: "Un jeton d’accès personnel a été créé",
      personal_access_token_removed: "Un jeton d’accès personnel a été supprimé",
    },
    at: "{date} (UTC)",
    byAccount: "Par quelqu’un qui utilise votre compte",
    byAccountAt: "Par quelqu’un qui utilise votre compte, depuis l’adresse {address}",
    byAdministrator: "Par un administrateur",
    byNamedAdministrator: "Par un administrateur du nom de {name}",
    byService: "Par le service lui-même",
    more: "Autres modifications : {count}.",
    expected: "Si c’était vous ou si vous êtes au courant, vous n’avez rien à faire.",
    unexpected:
      "Sinon, vérifiez votre compte maintenant : changez le mot de passe, supprimez tout ce que vous ne reconnaissez pas et mettez fin à toutes les autres sessions.",
    lockedOut:
      "Si vous ne pouvez plus vous connecter, demandez de l’aide à un administrateur de votre organisation.",
  },
  front: {
    start: {
      title: "Gatehouse est en marche",
      lead: "C’est ici que se connectent les personnes et les programmes. Vous décidez qui peut faire quoi dans la console ou par l’API.",
      openConsole: "Ouvrir la console",
      api: "Les programmes appellent l’API par gRPC, gRPC-web ou JSON. Chaque appel est décrit dans",
      firstAdministrator:
        "Le premier administrateur s’inscrit avec le lien contenu dans ce fichier sur cette machine :",
      anotherLink: "Cette commande crée un autre lien :",
    },
    notBuilt: {
      title: "La console n’est pas construite",
      lead: "Ses fichiers manquent. Exécutez cette commande là où Gatehouse est installé, puis rechargez cette page :",
    },
  },
};
