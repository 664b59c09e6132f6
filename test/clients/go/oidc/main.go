// go-oidc with golang.org/x/oauth2.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"clients/program"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// The endpoints that go-oidc leaves to the application.
type metadata struct {
	EndSession    string `json:"end_session_endpoint"`
	Introspection string `json:"introspection_endpoint"`
}

func main() {
	ctx := context.Background()
	provider := program.Must(oidc.NewProvider(ctx, program.Issuer))
	var more metadata
	program.Must(true, provider.Claims(&more))
	config := oauth2.Config{
		ClientID:     program.ClientID,
		ClientSecret: program.ClientSecret,
		Endpoint:     provider.Endpoint(),
		RedirectURL:  program.Callback,
		Scopes:       program.Scopes,
	}
	verifier := oauth2.GenerateVerifier()

	program.Serve(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, config.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)), http.StatusFound)
	}, func(w http.ResponseWriter, r *http.Request) {
		report := program.Report{}
		defer report.Write(w)
		token, err := config.Exchange(ctx, r.URL.Query().Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			report["login"] = program.Say("", err)
			return
		}
		raw, _ := token.Extra("id_token").(string)
		idToken, err := provider.Verifier(&oidc.Config{ClientID: program.ClientID}).Verify(ctx, raw)
		if err != nil {
			report["login"] = program.Say("", err)
			return
		}
		report["login"] = idToken.Subject
		report["userinfo"] = subjectOf(provider.UserInfo(ctx, oauth2.StaticTokenSource(token)))
		report["introspection"] = program.Say(introspect(more.Introspection, token.AccessToken))
		old := &oauth2.Token{RefreshToken: token.RefreshToken}
		report["refresh"] = subjectOf(provider.UserInfo(ctx, config.TokenSource(ctx, old)))
		report["logout"] = program.LogoutURL(more.EndSession, raw)
	})
}

func subjectOf(info *oidc.UserInfo, err error) string {
	if err != nil {
		return program.Say("", err)
	}
	return info.Subject
}

func introspect(endpoint, token string) (string, error) {
	form := url.Values{"token": {token}, "client_id": {program.ClientID}, "client_secret": {program.ClientSecret}}
	answer, err := http.PostForm(endpoint, form)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var told struct {
		Subject string `json:"sub"`
	}
	err = json.NewDecoder(answer.Body).Decode(&told)
	return told.Subject, err
}
