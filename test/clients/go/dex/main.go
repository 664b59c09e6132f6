// The connector with which dex logs people in at a provider of OpenID Connect.
package main

import (
	"net/http"

	"clients/program"

	"github.com/dexidp/dex/connector"
	dex "github.com/dexidp/dex/connector/oidc"
	"github.com/sirupsen/logrus"
)

func main() {
	config := dex.Config{
		Issuer:       program.Issuer,
		ClientID:     program.ClientID,
		ClientSecret: program.ClientSecret,
		RedirectURI:  program.Callback,
	}
	opened := program.Must(config.Open("gatehouse", logrus.New())).(connector.CallbackConnector)
	scopes := connector.Scopes{}
	program.Serve(func(w http.ResponseWriter, r *http.Request) {
		location := program.Must(opened.LoginURL(scopes, program.Callback, "state"))
		http.Redirect(w, r, location, http.StatusFound)
	}, func(w http.ResponseWriter, r *http.Request) {
		identity, err := opened.HandleCallback(scopes, r)
		program.Report{"login": program.Say(identity.UserID, err)}.Write(w)
	})
}
