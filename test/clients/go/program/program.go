// Package program has what the programs here share: each is a web application that a library logs people in to, as its README says.
// `/login` begins a login, and the callback says what came of it, step by step.
package program

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
)

// The application that the program is.
var (
	Issuer, ClientID, ClientSecret, port = os.Args[1], os.Args[2], os.Args[3], os.Args[4]

	URL      = "http://localhost:" + port
	Callback = URL + "/callback"
	// Scopes that all programs ask for.
	Scopes = []string{"openid", "profile", "email", "offline_access"}
)

// Report is what came of a login: by step the id of the user, or what went wrong.
type Report map[string]string

// Write answers with the report.
func (report Report) Write(w http.ResponseWriter) {
	_ = json.NewEncoder(w).Encode(report)
}

// Say returns what a step says.
func Say(subject string, err error) string {
	if err != nil {
		return fmt.Sprintf("failed: %v", err)
	}
	return subject
}

// LogoutURL makes the URL of a logout, which most libraries leave to the application.
func LogoutURL(endpoint, idToken string) string {
	return endpoint + "?" + url.Values{"id_token_hint": {idToken}, "post_logout_redirect_uri": {URL + "/bye"}}.Encode()
}

// Must ends the program when there is an error.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Serve serves the application, and says when it does.
func Serve(login, callback http.HandlerFunc) {
	http.HandleFunc("/login", login)
	http.HandleFunc("/callback", callback)
	http.HandleFunc("/bye", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "bye") })
	listener := Must(net.Listen("tcp", "localhost:"+port))
	fmt.Println("ready")
	panic(http.Serve(listener, nil))
}
