// A web application that go-oidc and golang.org/x/oauth2 log people in to, as their READMEs say.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// The endpoints that go-oidc leaves to the application.
type metadata struct {
	EndSession    string `json:"end_session_endpoint"`
	Introspection string `json:"introspection_endpoint"`
}

func main() {
	issuer, clientID, clientSecret, port := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	home := "http://localhost:" + port
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		panic(err)
	}
	var more metadata
	if err := provider.Claims(&more); err != nil {
		panic(err)
	}
	config := oauth2.Config{
		ClientID:     clientID,
		ClientSecret: clientSecret,
		Endpoint:     provider.Endpoint(),
		RedirectURL:  home + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email", oidc.ScopeOfflineAccess},
	}
	verifier := oauth2.GenerateVerifier()

	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, config.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)), http.StatusFound)
	})
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		report := map[string]string{}
		defer func() { _ = json.NewEncoder(w).Encode(report) }()
		token, err := config.Exchange(ctx, r.URL.Query().Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			report["login"] = fmt.Sprintf("failed: %v", err)
			return
		}
		raw, _ := token.Extra("id_token").(string)
		idToken, err := provider.Verifier(&oidc.Config{ClientID: clientID}).Verify(ctx, raw)
		if err != nil {
			report["login"] = fmt.Sprintf("failed: %v", err)
			return
		}
		report["login"] = idToken.Subject
		report["userinfo"] = subjectOf(provider.UserInfo(ctx, oauth2.StaticTokenSource(token)))
		report["introspection"] = introspect(more.Introspection, clientID, clientSecret, token.AccessToken)
		old := &oauth2.Token{RefreshToken: token.RefreshToken}
		report["refresh"] = subjectOf(provider.UserInfo(ctx, config.TokenSource(ctx, old)))
		query := url.Values{"id_token_hint": {raw}, "post_logout_redirect_uri": {home + "/bye"}}
		report["logout"] = more.EndSession + "?" + query.Encode()
	})
	http.HandleFunc("/bye", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "bye") })

	listener, err := net.Listen("tcp", "localhost:"+port)
	if err != nil {
		panic(err)
	}
	fmt.Println("ready")
	panic(http.Serve(listener, nil))
}

func subjectOf(info *oidc.UserInfo, err error) string {
	if err != nil {
		return fmt.Sprintf("failed: %v", err)
	}
	return info.Subject
}

func introspect(endpoint, clientID, clientSecret, token string) string {
	answer, err := http.PostForm(endpoint, url.Values{"token": {token}, "client_id": {clientID}, "client_secret": {clientSecret}})
	if err != nil {
		return fmt.Sprintf("failed: %v", err)
	}
	defer answer.Body.Close()
	var told struct {
		Subject string `json:"sub"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&told); err != nil {
		return fmt.Sprintf("failed: %v", err)
	}
	return told.Subject
}
