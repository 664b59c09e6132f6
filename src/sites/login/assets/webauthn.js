// Lets a security key answer for the form of a page (WebAuthn §5.1): one that is known, or a new one.

const form = document.querySelector("form[data-ceremony]");
const problem = document.getElementById("problem");
const status = document.getElementById("status");
const button = form.querySelector("button");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void ask();
});

async function ask() {
  problem.textContent = "";
  if (navigator.credentials === undefined || window.PublicKeyCredential === undefined) {
    problem.textContent = form.dataset.unsupported;
    return;
  }
  status.textContent = form.dataset.waiting;
  button.disabled = true;
  try {
    const credential = await askFor(form.dataset.ceremony, JSON.parse(form.dataset.options));
    form.elements.namedItem("credential").value = JSON.stringify(credential);
    form.submit(); // does not come back to the listener above
  } catch {
    // The browser does not tell pages why: the user has cancelled, or has no key that fits.
    status.textContent = "";
    problem.textContent = form.dataset.failed;
    button.disabled = false;
    button.focus();
  }
}

async function askFor(ceremony, options) {
  const challenge = toBytes(options.challenge);
  if (ceremony === "registration") {
    const user = { ...options.user, id: toBytes(options.user.id) };
    const excludeCredentials = options.excludeCredentials.map(toDescriptor);
    return toJson(
      await navigator.credentials.create({ publicKey: { ...options, challenge, user, excludeCredentials } }),
    );
  }
  const allowCredentials = options.allowCredentials.map(toDescriptor);
  return toJson(await navigator.credentials.get({ publicKey: { ...options, challenge, allowCredentials } }));
}

function toDescriptor({ type, id }) {
  return { type, id: toBytes(id) };
}

/** RegistrationResponseJSON and AuthenticationResponseJSON, which not every browser makes itself. */
function toJson({ id, rawId, type, response }) {
  const names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const parts = {};
  for (const name of names) if (response[name] instanceof ArrayBuffer) parts[name] = toText(response[name]);
  return { id, rawId: toText(rawId), type, response: parts };
}

function toBytes(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function toText(buffer) {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
