package clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.entity.UrlEncodedFormEntity;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.NameValuePair;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.message.BasicNameValuePair;
import org.apache.hc.core5.net.URIBuilder;

/** A web application that logs people in by hand, with the forms that Apache HttpClient sends: their charset is ISO-8859-1. */
public class Forms {
  private static final CloseableHttpClient client = HttpClients.createDefault();
  private static final ObjectMapper mapper = new ObjectMapper();
  private static String clientId;
  private static String clientSecret;
  private static JsonNode metadata;

  public static void main(String[] args) throws Exception {
    clientId = args[1];
    clientSecret = args[2];
    metadata = send(new HttpGet(args[0] + "/.well-known/openid-configuration"));
    String home = "http://localhost:" + args[3];
    HttpServer server = HttpServer.create(new InetSocketAddress("localhost", Integer.parseInt(args[3])), 0);
    server.createContext("/login", (exchange) -> {
      exchange.getResponseHeaders().set("location", toUrl("authorization_endpoint", "client_id", clientId,
          "response_type", "code", "scope", "openid profile email offline_access", "redirect_uri", home + "/callback"));
      exchange.sendResponseHeaders(302, -1);
    });
    server.createContext("/callback", (exchange) -> write(exchange, mapper.writeValueAsString(report(home, exchange))));
    server.createContext("/bye", (exchange) -> write(exchange, "bye"));
    server.start();
    System.out.println("ready");
  }

  private static Map<String, String> report(String home, HttpExchange exchange) throws IOException {
    String code = exchange.getRequestURI().getQuery().replaceAll("^(?:.*&)?code=([^&]*).*$", "$1");
    JsonNode tokens = post("token_endpoint", "grant_type", "authorization_code", "code", code,
        "redirect_uri", home + "/callback");
    if (!tokens.has("access_token")) return Map.of("login", "failed: " + tokens);
    String token = tokens.get("access_token").textValue();
    Map<String, String> report = new TreeMap<>();
    report.put("login", attempt(() -> getUser(token)));
    report.put("userinfo", attempt(() -> getUser(token)));
    report.put("introspection", attempt(() -> post("introspection_endpoint", "token", token).get("sub").textValue()));
    report.put("refresh", attempt(() -> getUser(post("token_endpoint", "grant_type", "refresh_token",
        "refresh_token", tokens.get("refresh_token").textValue()).get("access_token").textValue())));
    report.put("logout", toUrl("end_session_endpoint", "id_token_hint", tokens.get("id_token").textValue(),
        "post_logout_redirect_uri", home + "/bye"));
    return report;
  }

  private static String getUser(String token) throws IOException {
    HttpGet request = new HttpGet(metadata.get("userinfo_endpoint").textValue());
    request.setHeader("authorization", "Bearer " + token);
    return send(request).get("sub").textValue();
  }

  private static JsonNode post(String endpoint, String... form) throws IOException {
    List<NameValuePair> pairs = toPairs(form);
    pairs.addAll(toPairs("client_id", clientId, "client_secret", clientSecret));
    HttpPost request = new HttpPost(metadata.get(endpoint).textValue());
    request.setEntity(new UrlEncodedFormEntity(pairs));
    return send(request);
  }

  private static JsonNode send(ClassicHttpRequest request) throws IOException {
    return client.execute(request, (response) -> mapper.readTree(EntityUtils.toString(response.getEntity())));
  }

  private static List<NameValuePair> toPairs(String... form) {
    List<NameValuePair> pairs = new ArrayList<>();
    for (int at = 0; at < form.length; at += 2) pairs.add(new BasicNameValuePair(form[at], form[at + 1]));
    return pairs;
  }

  private static String toUrl(String endpoint, String... query) {
    try {
      return new URIBuilder(metadata.get(endpoint).textValue()).addParameters(toPairs(query)).toString();
    } catch (java.net.URISyntaxException error) {
      throw new IllegalStateException(error);
    }
  }

  private static void write(HttpExchange exchange, String text) throws IOException {
    byte[] bytes = text.getBytes();
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static String attempt(Callable<String> step) {
    try {
      return step.call();
    } catch (Exception error) {
      return "failed: " + error;
    }
  }
}
