#!/usr/bin/env bash
# python-jose 3.5.0 fails with a key set in which a key of another type stands before the right one, whatever the token's `kid` says.
# One would expect: jwt.decode takes a JWKS as it is published, finds the key by `kid` (RFC 7515, 4.1.4), or tries one after the other.
# What happens: `kid` is not looked at; keys are tried in their order, and an EC or OKP key raises JWKError for an RS256 token instead of
# being passed over. The same set with the RSA key first works, and so does one in which a wrong RSA key stands first. So logins break
# when a provider adds a key of a new kind, and depend on the order in which it lists them.
# Seen 2026-11-28 with python-jose 3.5.0 and cryptography 50.0.2 on Python 3.11; source: jose/jws.py, _sig_matches_keys.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "python-jose[cryptography]==3.5.0" cryptography==50.0.2

cat >try.py <<'PROGRAM'
import sys
from importlib.metadata import version

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jose import jwk, jwt


def make(key, algorithm, kid):
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    pem = key.private_bytes(*form)
    return pem, {**jwk.construct(pem, algorithm).public_key().to_dict(), "kid": kid, "use": "sig"}


signer, right = make(rsa.generate_private_key(65537, 2048), "RS256", "right")
_, wrong = make(rsa.generate_private_key(65537, 2048), "RS256", "wrong")
_, curve = make(ec.generate_private_key(ec.SECP256R1()), "ES256", "curve")
token = jwt.encode({"sub": "ada"}, signer, "RS256", headers={"kid": "right"})


def read(keys):
    try:
        return f"sub is {jwt.decode(token, {'keys': keys}, algorithms=['RS256'])['sub']}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


expected = [
    ([right, curve], "sub is ada"),
    ([wrong, right], "sub is ada"),
    ([curve, right], "JWKError: Incorrect key type. Expected: 'RSA', Received: EC"),
]
print(f"python-jose {version('python-jose')}, a token with the kid \"right\"")
same = True
for keys, seen in expected:
    now = read(keys)
    same = same and now == seen
    print(f"{', '.join(key['kid'] for key in keys)}: {now}")
print("the behaviour is as described" if same else "the behaviour has CHANGED")
sys.exit(0 if same else 1)
PROGRAM
venv/bin/python try.py
