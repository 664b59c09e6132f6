package clients;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.client.endpoint.OAuth2RefreshTokenGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.RestClientRefreshTokenTokenResponseClient;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.core.OAuth2AuthorizationException;
import org.springframework.security.oauth2.core.OAuth2RefreshToken;
import org.springframework.security.oauth2.core.endpoint.OAuth2AccessTokenResponse;
import org.springframework.security.web.authentication.AuthenticationSuccessHandler;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The registration "orders", whose tokens are for APIs: they are named in each request. */
@RestController
public class Resources {
  private static final List<String> resources = List.of("urn:example:orders", "urn:example:prices");

  static DefaultOAuth2AuthorizationRequestResolver resolver(ClientRegistrationRepository clients) {
    var resolver = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
    resolver.setAuthorizationRequestCustomizer(
        (request) -> {
          if (request.build().getScopes().contains("orders.read"))
            request.authorizationRequestUri((uri) -> uri.queryParam("resource", resources).build());
        });
    return resolver;
  }

  static RestClientAuthorizationCodeTokenResponseClient redeemer() {
    var client = new RestClientAuthorizationCodeTokenResponseClient();
    client.addParametersConverter(
        (request) -> toParameters(isOfOrders(request.getClientRegistration().getRegistrationId()) ? resources : List.of()));
    return client;
  }

  static AuthenticationSuccessHandler successHandler() {
    return (request, response, user) -> {
      String registration = ((OAuth2AuthenticationToken) user).getAuthorizedClientRegistrationId();
      response.sendRedirect(isOfOrders(registration) ? "/resources" : "/done");
    };
  }

  @GetMapping("/resources")
  ResponseEntity<Map<String, String>> resources(
      @RegisteredOAuth2AuthorizedClient("orders") OAuth2AuthorizedClient client) throws Exception {
    Map<String, String> report = new TreeMap<>();
    JWTClaimsSet claims = claimsOf(client.getAccessToken().getTokenValue());
    String subject = claims.getSubject();
    report.put("both", resources.equals(claims.getAudience()) ? subject : "failed: " + claims.getAudience());
    OAuth2AccessTokenResponse one = refresh(client, client.getRefreshToken(), resources.get(0), Set.of());
    report.put("one", attempt(() -> check(one, resources.get(0), Set.of("openid", "offline_access", "orders.read"))));
    OAuth2AccessTokenResponse narrow =
        refresh(client, one.getRefreshToken(), resources.get(1), Set.of("prices.read"));
    report.put("narrow", attempt(() -> check(narrow, resources.get(1), Set.of("prices.read"))));
    report.put("target", attempt(() -> {
      try {
        refresh(client, narrow.getRefreshToken(), "urn:example:unknown", Set.of());
        return "failed: it was not refused";
      } catch (OAuth2AuthorizationException error) {
        String code = error.getError().getErrorCode();
        return code.equals("invalid_target") ? subject : "failed: refused with " + code;
      }
    }));
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(report);
  }

  private static OAuth2AccessTokenResponse refresh(
      OAuth2AuthorizedClient client, OAuth2RefreshToken token, String resource, Set<String> scopes) {
    var refresher = new RestClientRefreshTokenTokenResponseClient();
    refresher.addParametersConverter((request) -> toParameters(List.of(resource)));
    return refresher.getTokenResponse(
        new OAuth2RefreshTokenGrantRequest(client.getClientRegistration(), client.getAccessToken(), token, scopes));
  }

  /** Returns whose the token is, or what is wrong with its audience or its scopes. */
  private static String check(OAuth2AccessTokenResponse answer, String resource, Set<String> scopes) throws Exception {
    JWTClaimsSet claims = claimsOf(answer.getAccessToken().getTokenValue());
    boolean isGood = claims.getAudience().equals(List.of(resource)) && scopes.containsAll(answer.getAccessToken().getScopes());
    return isGood ? claims.getSubject() : "failed: " + claims;
  }

  private static JWTClaimsSet claimsOf(String token) throws Exception {
    return SignedJWT.parse(token).getJWTClaimsSet();
  }

  private static MultiValueMap<String, String> toParameters(List<String> named) {
    MultiValueMap<String, String> parameters = new LinkedMultiValueMap<>();
    named.forEach((resource) -> parameters.add("resource", resource));
    return parameters;
  }

  private static boolean isOfOrders(String registration) {
    return registration.equals("orders");
  }

  private static String attempt(Callable<String> step) {
    try {
      return step.call();
    } catch (Exception error) {
      return "failed: " + error.getMessage();
    }
  }
}
