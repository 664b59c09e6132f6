package clients;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.AuthorizationGrant;
import com.nimbusds.oauth2.sdk.AuthorizationRequest;
import com.nimbusds.oauth2.sdk.AuthorizationResponse;
import com.nimbusds.oauth2.sdk.ErrorObject;
import com.nimbusds.oauth2.sdk.GeneralException;
import com.nimbusds.oauth2.sdk.PushedAuthorizationRequest;
import com.nimbusds.oauth2.sdk.PushedAuthorizationResponse;
import com.nimbusds.oauth2.sdk.RefreshTokenGrant;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.JWTAuthenticationClaimsSet;
import com.nimbusds.oauth2.sdk.auth.PrivateKeyJWT;
import com.nimbusds.oauth2.sdk.dpop.DefaultDPoPProofFactory;
import com.nimbusds.oauth2.sdk.dpop.DPoPProofFactory;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.id.Audience;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.oauth2.sdk.token.AccessToken;
import com.nimbusds.oauth2.sdk.token.BearerAccessToken;
import com.nimbusds.oauth2.sdk.token.RefreshToken;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.UserInfoRequest;
import com.nimbusds.openid.connect.sdk.UserInfoResponse;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.token.OIDCTokens;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** A web application of the FAPI 2.0 Security Profile, by the Nimbus OAuth 2.0 SDK. */
public class Fapi {
  private static ClientID client;
  private static OIDCProviderMetadata metadata;
  private static URI callback;
  private static ECKey key;
  private static RSAKey rsaKey;
  private static DPoPProofFactory proofs;
  private static CodeVerifier verifier;
  private static State state;

  public static void main(String[] args) throws Exception {
    client = new ClientID(args[1]);
    Map<String, Object> keys = JSONObjectUtils.parse(args[2]);
    key = ECKey.parse(JSONObjectUtils.getJSONObject(keys, "ES256"));
    rsaKey = RSAKey.parse(JSONObjectUtils.getJSONObject(keys, "RS256"));
    metadata = OIDCProviderMetadata.resolve(new Issuer(args[0]));
    callback = URI.create("http://localhost:" + args[3] + "/callback");
    proofs = proofsBy(new ECKeyGenerator(Curve.P_256).generate(), JWSAlgorithm.ES256);
    HttpServer server = HttpServer.create(new InetSocketAddress("localhost", Integer.parseInt(args[3])), 0);
    server.createContext("/login", Fapi::login);
    server.createContext("/callback", (exchange) -> write(exchange, JSONObjectUtils.toJSONString(report(exchange))));
    server.start();
    System.out.println("ready");
  }

  private static void login(HttpExchange exchange) throws IOException {
    verifier = new CodeVerifier();
    state = new State();
    try {
      URI reference = push(authenticate(), asked(true).build());
      URI brought =
          new AuthorizationRequest.Builder(reference, client).endpointURI(metadata.getAuthorizationEndpointURI()).build().toURI();
      exchange.getResponseHeaders().set("location", brought.toString());
      exchange.sendResponseHeaders(302, -1);
    } catch (Exception error) {
      write(exchange, "failed: " + error);
    }
  }

  private static Map<String, Object> report(HttpExchange exchange) {
    Map<String, Object> report = new TreeMap<>();
    try {
      URI back = URI.create(callback + "?" + exchange.getRequestURI().getRawQuery());
      AuthorizationResponse answer = AuthorizationResponse.parse(back);
      if (!metadata.getIssuer().equals(answer.getIssuer()) || !state.equals(answer.getState()))
        return Map.of("login", "failed: the answer is another one's");
      AuthorizationCode code = answer.toSuccessResponse().getAuthorizationCode();
      AuthorizationGrant grant = new AuthorizationCodeGrant(code, callback, verifier);
      ErrorObject bare = errorOf(() -> tokens(grant, null));
      ErrorObject rsa =
          errorOf(() -> tokens(grant, proofsBy(new RSAKeyGenerator(2048).generate(), JWSAlgorithm.RS256)));
      DPoPProofFactory others = proofsBy(new ECKeyGenerator(Curve.P_256).generate(), JWSAlgorithm.ES256);
      ErrorObject other = errorOf(() -> tokens(grant, others));
      OIDCTokens tokens = tokens(grant, proofs);
      String subject = tokens.getIDToken().getJWTClaimsSet().getSubject();
      report.put("login", subject);
      report.put("userinfo", attempt(() -> userinfo(tokens.getAccessToken(), true)));
      report.put("refresh", attempt(() -> refresh(tokens.getRefreshToken(), others) ? subject : "failed: another one"));
      report.put("push", said(subject, "invalid_request", unpushed()));
      report.put("client", said(subject, "invalid_client", errorOf(() -> push(null, asked(true).build()))));
      report.put("pkce", said(subject, "invalid_request", errorOf(() -> push(authenticate(), asked(false).build()))));
      report.put("audience", said(subject, "invalid_client", errorOf(() -> push(authenticateFor(
          new Audience(metadata.getTokenEndpointURI())), asked(true).build()))));
      report.put("algorithm", said(subject, "invalid_client", errorOf(() -> push(authenticateByRsa(), asked(true).build()))));
      report.put("proof", said(subject, "invalid_dpop_proof", bare));
      report.put("proofAlgorithm", said(subject, "invalid_dpop_proof", rsa));
      report.put("binding", said(subject, "invalid_grant", other));
      report.put("bearer", said(subject, "invalid_token", errorOf(() -> userinfo(
          new BearerAccessToken(tokens.getAccessToken().getValue()), false))));
      report.put("reuse", said(subject, "invalid_grant", errorOf(() -> tokens(grant, proofs))));
    } catch (Exception error) {
      report.putIfAbsent("login", "failed: " + error);
    }
    return report;
  }

  private static AuthorizationRequest.Builder asked(boolean withPkce) {
    AuthorizationRequest.Builder request =
        new AuthorizationRequest.Builder(ResponseType.CODE, client)
            .scope(Scope.parse("openid profile email offline_access")).redirectionURI(callback).state(state);
    return withPkce ? request.codeChallenge(verifier, CodeChallengeMethod.S256) : request;
  }

  private static URI push(ClientAuthentication by, AuthorizationRequest request) throws Exception {
    URI endpoint = metadata.getPushedAuthorizationRequestEndpointURI();
    HTTPRequest sent =
        (by == null ? new PushedAuthorizationRequest(endpoint, request) : new PushedAuthorizationRequest(endpoint, by, request))
            .toHTTPRequest();
    sent.setDPoP(proofs.createDPoPJWT("POST", endpoint));
    PushedAuthorizationResponse answer = PushedAuthorizationResponse.parse(sent.send());
    if (!answer.indicatesSuccess()) throw new GeneralException(answer.toErrorResponse().getErrorObject());
    return answer.toSuccessResponse().getRequestURI();
  }

  /** Sends the request of a login as the browser would, and returns the error that comes back. */
  private static ErrorObject unpushed() throws Exception {
    HTTPRequest request =
        new HTTPRequest(HTTPRequest.Method.GET, asked(true).endpointURI(metadata.getAuthorizationEndpointURI()).build().toURI());
    request.setFollowRedirects(false);
    return AuthorizationResponse.parse(request.send().getLocation()).toErrorResponse().getErrorObject();
  }

  private static OIDCTokens tokens(AuthorizationGrant grant, DPoPProofFactory by) throws Exception {
    URI endpoint = metadata.getTokenEndpointURI();
    HTTPRequest sent = new TokenRequest(endpoint, authenticate(), grant).toHTTPRequest();
    if (by != null) sent.setDPoP(by.createDPoPJWT("POST", endpoint));
    var answer = OIDCTokenResponseParser.parse(sent.send());
    if (!answer.indicatesSuccess()) throw new GeneralException(answer.toErrorResponse().getErrorObject());
    return ((OIDCTokenResponse) answer.toSuccessResponse()).getOIDCTokens();
  }

  /** Says whether the refresh token stays the same, with the key and with another one. */
  private static boolean refresh(RefreshToken token, DPoPProofFactory others) throws Exception {
    for (DPoPProofFactory by : List.of(proofs, others))
      if (!token.equals(tokens(new RefreshTokenGrant(token), by).getRefreshToken())) return false;
    return true;
  }

  private static String userinfo(AccessToken token, boolean isProved) throws Exception {
    URI endpoint = metadata.getUserInfoEndpointURI();
    HTTPRequest sent = new UserInfoRequest(endpoint, token).toHTTPRequest();
    if (isProved) sent.setDPoP(proofs.createDPoPJWT("GET", endpoint, token));
    UserInfoResponse answer = UserInfoResponse.parse(sent.send());
    if (!answer.indicatesSuccess()) throw new GeneralException(answer.toErrorResponse().getErrorObject());
    return answer.toSuccessResponse().getUserInfo().getSubject().getValue();
  }

  private static ClientAuthentication authenticate() throws Exception {
    return authenticateFor(new Audience(metadata.getIssuer()));
  }

  private static ClientAuthentication authenticateFor(Audience audience) throws Exception {
    var claims = new JWTAuthenticationClaimsSet(client, audience);
    return new PrivateKeyJWT(claims, JWSAlgorithm.ES256, key.toECPrivateKey(), key.getKeyID(), null);
  }

  private static ClientAuthentication authenticateByRsa() throws Exception {
    var claims = new JWTAuthenticationClaimsSet(client, new Audience(metadata.getIssuer()));
    return new PrivateKeyJWT(claims, JWSAlgorithm.RS256, rsaKey.toRSAPrivateKey(), rsaKey.getKeyID(), null);
  }

  private static DPoPProofFactory proofsBy(JWK by, JWSAlgorithm algorithm) throws Exception {
    return new DefaultDPoPProofFactory(by, algorithm);
  }

  /** Returns the error that a step is refused with; null if it is not. */
  private static ErrorObject errorOf(Callable<?> step) throws Exception {
    try {
      step.call();
      return null;
    } catch (GeneralException refusal) {
      return refusal.getErrorObject();
    }
  }

  private static String said(String subject, String wanted, ErrorObject error) {
    if (error == null) return "failed: it was not refused";
    return wanted.equals(error.getCode()) ? subject : "failed: refused with " + error.getCode();
  }

  private static String attempt(Callable<String> step) {
    try {
      return step.call();
    } catch (Exception error) {
      return "failed: " + error;
    }
  }

  private static void write(HttpExchange exchange, String text) throws IOException {
    byte[] bytes = text.getBytes();
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
