// An API that go-jose checks tokens for. The client id of the program is the resource of the API.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"clients/program"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

func main() {
	keys := readKeys()
	http.HandleFunc("/api", func(w http.ResponseWriter, r *http.Request) {
		subject, err := check(keys, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, subject)
	})
	program.Serve(http.NotFound, http.NotFound)
}

// Reads the keys of the issuer.
func readKeys() (keys jose.JSONWebKeySet) {
	answer := program.Must(http.Get(program.Issuer + "/oauth/v2/keys"))
	defer answer.Body.Close()
	program.Must(true, json.NewDecoder(answer.Body).Decode(&keys))
	return keys
}

// Says whose token it is (RFC 9068 §4).
func check(keys jose.JSONWebKeySet, text string) (string, error) {
	token, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA})
	if err != nil {
		return "", err
	}
	if token.Headers[0].ExtraHeaders["typ"] != "at+jwt" {
		return "", fmt.Errorf("it is no access token")
	}
	var claims jwt.Claims
	if err := token.Claims(keys, &claims); err != nil {
		return "", err
	}
	expected := jwt.Expected{Issuer: program.Issuer, AnyAudience: jwt.Audience{program.ClientID}, Time: time.Now()}
	return claims.Subject, claims.Validate(expected)
}
