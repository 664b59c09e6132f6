// The relying party and the resource server of zitadel/oidc.
package main

import (
	"context"
	"net/http"
	"time"

	"clients/program"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/client/rs"
	httphelper "github.com/zitadel/oidc/v3/pkg/http"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

func main() {
	ctx := context.Background()
	key := []byte("test1234test1234")
	cookies := httphelper.NewCookieHandler(key, key, httphelper.WithUnsecure())
	party := program.Must(rp.NewRelyingPartyOIDC(
		ctx, program.Issuer, program.ClientID, program.ClientSecret, program.Callback, program.Scopes,
		rp.WithCookieHandler(cookies),
		rp.WithVerifierOpts(rp.WithIssuedAtOffset(5*time.Second)),
		rp.WithSigningAlgsFromDiscovery(),
		rp.WithPKCE(cookies),
	))
	api := program.Must(rs.NewResourceServerClientCredentials(ctx, program.Issuer, program.ClientID, program.ClientSecret))
	done := func(
		w http.ResponseWriter, _ *http.Request, tokens *oidc.Tokens[*oidc.IDTokenClaims], _ string, party rp.RelyingParty, info *oidc.UserInfo,
	) {
		report := program.Report{"login": tokens.IDTokenClaims.Subject, "userinfo": info.Subject}
		defer report.Write(w)
		fresh, err := rp.RefreshTokens[*oidc.IDTokenClaims](ctx, party, tokens.RefreshToken, "", "")
		if report["refresh"] = program.Say("", err); err == nil {
			report["refresh"] = fresh.IDTokenClaims.Subject
		}
		told, err := rs.Introspect[*oidc.IntrospectionResponse](ctx, api, tokens.AccessToken)
		if report["introspection"] = program.Say("", err); err == nil {
			report["introspection"] = told.Subject
		}
		report["logout"] = program.LogoutURL(party.GetEndSessionEndpoint(), tokens.IDToken)
	}
	program.Serve(
		rp.AuthURLHandler(func() string { return "state" }, party),
		rp.CodeExchangeHandler(rp.UserinfoCallback(done), party),
	)
}
