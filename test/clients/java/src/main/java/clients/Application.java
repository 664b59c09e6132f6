package clients;

import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.endpoint.OAuth2RefreshTokenGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientRefreshTokenTokenResponseClient;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.JwtTypeValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.resource.introspection.SpringOpaqueTokenIntrospector;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriComponentsBuilder;

/** A web application and an API that Spring Security logs people in to, with the settings that our documentation has for it. */
@SpringBootApplication
@RestController
public class Application {
  private static String home;

  @Autowired private ApplicationContext context;

  @Value("${gatehouse.issuer}")
  private String issuer;

  public static void main(String[] args) {
    String registration = "--spring.security.oauth2.client.registration.gatehouse.";
    String orders = "--spring.security.oauth2.client.registration.orders.";
    home = "http://localhost:" + args[3];
    SpringApplication.run(
        Application.class,
        "--server.port=" + args[3],
        "--server.address=localhost",
        "--gatehouse.issuer=" + args[0],
        registration + "client-id=" + args[1],
        registration + "client-secret=" + args[2],
        registration + "scope=openid,profile,email,offline_access",
        orders + "provider=gatehouse",
        orders + "client-id=" + args[1],
        orders + "client-secret=" + args[2],
        orders + "authorization-grant-type=authorization_code",
        orders + "redirect-uri={baseUrl}/login/oauth2/code/{registrationId}",
        orders + "scope=openid,offline_access,orders.read,prices.read,prices.write",
        "--spring.security.oauth2.client.provider.gatehouse.issuer-uri=" + args[0]);
  }

  @EventListener(ApplicationReadyEvent.class)
  void sayReady() {
    System.out.println("\nready");
  }

  /** As the documentation has it for an API. */
  @Bean
  JwtDecoder jwtDecoder(@Value("${spring.security.oauth2.client.registration.gatehouse.client-id}") String audience) {
    NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
    decoder.setJwtValidator(
        new DelegatingOAuth2TokenValidator<>(
            new JwtTypeValidator(List.of("at+jwt")),
            new JwtIssuerValidator(issuer),
            new JwtTimestampValidator(),
            new JwtClaimValidator<List<String>>("aud", (aud) -> aud != null && aud.contains(audience))));
    return decoder;
  }

  /** An API, whose audience is the client id. */
  @Bean
  @Order(1)
  SecurityFilterChain api(HttpSecurity http) throws Exception {
    http.securityMatcher("/api")
        .authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
        .oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()));
    return http.build();
  }

  @GetMapping("/api")
  String api(Principal caller) {
    return caller.getName();
  }

  @Bean
  SecurityFilterChain web(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    OidcClientInitiatedLogoutSuccessHandler logout = new OidcClientInitiatedLogoutSuccessHandler(clients);
    logout.setPostLogoutRedirectUri("{baseUrl}/bye");
    http.authorizeHttpRequests((requests) -> requests.requestMatchers("/bye").permitAll().anyRequest().authenticated())
        .oauth2Login(
            (login) ->
                login
                    .authorizationEndpoint((at) -> at.authorizationRequestResolver(Resources.resolver(clients)))
                    .tokenEndpoint((at) -> at.accessTokenResponseClient(Resources.redeemer()))
                    .successHandler(Resources.successHandler())
                    .failureHandler(
                        (request, response, error) -> {
                          response.setStatus(500);
                          response.getWriter().print(error.getMessage());
                        }))
        .logout((how) -> how.logoutSuccessHandler(logout));
    return http.build();
  }

  @GetMapping("/done")
  ResponseEntity<Map<String, String>> done(
      @AuthenticationPrincipal OidcUser user,
      @RegisteredOAuth2AuthorizedClient("gatehouse") OAuth2AuthorizedClient client) {
    JwtDecoder decoder = context.getBean(JwtDecoder.class);
    String token = client.getAccessToken().getTokenValue();
    Map<String, Object> metadata = client.getClientRegistration().getProviderDetails().getConfigurationMetadata();
    Map<String, String> report = new TreeMap<>();
    report.put("login", user.getSubject());
    report.put("userinfo", attempt(() -> user.getUserInfo().getSubject()));
    report.put("jwt", attempt(() -> decoder.decode(token).getSubject()));
    report.put(
        "refresh",
        attempt(
            () -> {
              var request =
                  new OAuth2RefreshTokenGrantRequest(
                      client.getClientRegistration(), client.getAccessToken(), client.getRefreshToken());
              var fresh = new RestClientRefreshTokenTokenResponseClient().getTokenResponse(request);
              return decoder.decode(fresh.getAccessToken().getTokenValue()).getSubject();
            }));
    report.put(
        "introspection",
        attempt(
            () ->
                SpringOpaqueTokenIntrospector.withIntrospectionUri((String) metadata.get("introspection_endpoint"))
                    .clientId(client.getClientRegistration().getClientId())
                    .clientSecret(client.getClientRegistration().getClientSecret())
                    .build()
                    .introspect(token)
                    .getAttribute("sub")));
    report.put(
        "logout",
        UriComponentsBuilder.fromUriString((String) metadata.get("end_session_endpoint"))
            .queryParam("id_token_hint", user.getIdToken().getTokenValue())
            .queryParam("post_logout_redirect_uri", home + "/bye")
            .encode()
            .toUriString());
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(report);
  }

  @GetMapping("/bye")
  String bye() {
    return "bye";
  }

  private static String attempt(Callable<String> step) {
    try {
      return step.call();
    } catch (Exception error) {
      return "failed: " + error.getMessage();
    }
  }
}
