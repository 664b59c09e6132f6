# What the examples of these pages begin with: `. docs/begin.sh`, in the folder of Gatehouse. It starts a Gatehouse on port 8080 that
# keeps everything in a new folder, DATA, and makes a project with the role "reader", PROJECT, and a person who can log in: ada, with
# the password "an analytical engine". TOKEN is the token of the administrator. `kill %1` ends the Gatehouse.
DATA=$(mktemp -d)
npm run --silent gatehouse -- serve --dev --data "$DATA" &
curl -s --retry 30 --retry-delay 1 --retry-connrefused -o /dev/null http://127.0.0.1:8080/readyz
TOKEN=$(cat "$DATA/admin.token")
PROJECT=$(curl -s http://127.0.0.1:8080/v1/projects -H "authorization: Bearer $TOKEN" -H "content-type: application/json" \
  -d '{"name": "Website"}' | sed 's/.*"id":"\([^"]*\)".*/\1/')
curl -s -o /dev/null http://127.0.0.1:8080/v1/projects/$PROJECT/roles -H "authorization: Bearer $TOKEN" \
  -H "content-type: application/json" -d '{"roleKey": "reader"}'
ADA=$(curl -s http://127.0.0.1:8080/v1/users/human -H "authorization: Bearer $TOKEN" -H "content-type: application/json" \
  -d '{"username": "ada", "givenName": "Ada", "familyName": "Lovelace", "email": "ada@example.com"}' |
  sed 's/.*"userId":"\([^"]*\)".*/\1/')
curl -s -o /dev/null http://127.0.0.1:8080/v1/users/$ADA/password -H "authorization: Bearer $TOKEN" \
  -H "content-type: application/json" -d '{"password": "an analytical engine"}'
