package io.stoker.dispatcher.service.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.stoker.common.json.Json;
import io.stoker.common.security.AccessTokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLContext;

/**
 * A real OpenID Connect issuer with one client, at which somebody is always logged in. Its tokens
 * are written by hand, and not by what checks them.
 */
public final class SmallIssuer implements AutoCloseable {
  private static final int MINUTES_5 = 300;
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;

  private final String address;
  private final int port;
  private final String client;
  private final String secret;
  private final Map<String, Map<String, String>> codes = new ConcurrentHashMap<>();
  private volatile KeyPair key = Keys.FIRST;
  private volatile String keyId = "first";
  private volatile boolean secretInForm;
  private volatile Map<String, Object> person = Map.of();
  private HttpServer server;

  /**
   * One that does not listen yet.
   *
   * @param address that its tokens name, with a port of this machine
   */
  public SmallIssuer(String address, String client, String secret) {
    this.address = address;
    port = URI.create(address).getPort();
    this.client = client;
    this.secret = secret;
  }

  public void start() throws IOException {
    start(HttpServer.create(at(), 0));
  }

  /** With TLS. */
  public void start(SSLContext tls) throws IOException {
    HttpsServer secure = HttpsServer.create(at(), 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(tls));
    start(secure);
  }

  private InetSocketAddress at() throws IOException {
    return new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port);
  }

  private void start(HttpServer made) {
    server = made;
    String path = URI.create(address).getPath();
    server.createContext(path + "/.well-known/openid-configuration", this::discovery);
    server.createContext(path + "/keys", this::keys);
    server.createContext(path + "/authorize", this::authorize);
    server.createContext(path + "/token", this::token);
    server.start();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  /** Takes its client's secret in a form, and not in a header, from now on. */
  public void takeSecretInForm() {
    secretInForm = true;
  }

  /** Signs by another key from now on. */
  public void rotate() {
    key = key == Keys.FIRST ? Keys.Next.KEY : Keys.FIRST;
    keyId = AccessTokens.random("");
  }

  /** Says who is logged in there. */
  public void logIn(Map<String, Object> claims) {
    person = claims;
  }

  /**
   * A token that is in force.
   *
   * @param claims beside those that say so, or in their place
   */
  public String sign(Map<String, Object> claims) {
    return sign(claims, key, keyId);
  }

  /** The same, signed by a key of somebody else. */
  public String forge(Map<String, Object> claims) {
    return sign(claims, Keys.Foreign.KEY, keyId);
  }

  /** The same with a key that nobody knows by its name. */
  public String forgeUnknown(Map<String, Object> claims) {
    return sign(claims, Keys.Foreign.KEY, "unknown");
  }

  /** The same without a signature. */
  public String unsigned(Map<String, Object> claims) {
    return text(Map.of("alg", "none")) + "." + text(all(claims)) + ".";
  }

  /** The same with the public key taken for a shared secret. */
  public String signedByPublicKey(Map<String, Object> claims) throws GeneralSecurityException {
    String body = text(Map.of("alg", "HS256", "kid", keyId)) + "." + text(all(claims));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key.getPublic().getEncoded(), "HmacSHA256"));
    return body + "." + base64(mac.doFinal(body.getBytes(StandardCharsets.US_ASCII)));
  }

  private String sign(Map<String, Object> claims, KeyPair by, String named) {
    String body = text(Map.of("alg", "RS256", "kid", named)) + "." + text(all(claims));
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(by.getPrivate());
      signature.update(body.getBytes(StandardCharsets.US_ASCII));
      return body + "." + base64(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private Map<String, Object> all(Map<String, Object> claims) {
    long now = Instant.now().getEpochSecond();
    Map<String, Object> all = new HashMap<>();
    all.put("iss", address);
    all.put("aud", client);
    all.put("sub", "0-1");
    all.put("iat", now);
    all.put("exp", now + MINUTES_5);
    all.putAll(claims);
    return all;
  }

  private void discovery(HttpExchange call) throws IOException {
    answer(
        call,
        OK,
        Map.of(
            "issuer", address,
            "authorization_endpoint", address + "/authorize",
            "token_endpoint", address + "/token",
            "jwks_uri", address + "/keys",
            "token_endpoint_auth_methods_supported",
                List.of(secretInForm ? "client_secret_post" : "client_secret_basic")));
  }

  private void keys(HttpExchange call) throws IOException {
    RSAPublicKey open = (RSAPublicKey) key.getPublic();
    Map<String, String> jwk =
        Map.of(
            "kty",
            "RSA",
            "use",
            "sig",
            "kid",
            keyId,
            "n",
            base64(open.getModulus().toByteArray()),
            "e",
            base64(open.getPublicExponent().toByteArray()));
    answer(call, OK, Map.of("keys", List.of(jwk)));
  }

  private void authorize(HttpExchange call) throws IOException {
    Map<String, String> asked = parameters(call.getRequestURI().getRawQuery());
    String code = AccessTokens.random("");
    codes.put(code, asked);
    String back =
        "%s?code=%s&state=%s&session_state=x"
            .formatted(
                asked.get("redirect_uri"),
                code,
                URLEncoder.encode(asked.get("state"), StandardCharsets.UTF_8));
    call.getResponseHeaders().set("Location", back);
    call.sendResponseHeaders(302, -1);
    call.close();
  }

  /** Gives a token to its client alone, once, and to who has begun the login (RFC 7636, 4.6). */
  private void token(HttpExchange call) throws IOException {
    Map<String, String> sent =
        parameters(new String(call.getRequestBody().readAllBytes(), StandardCharsets.US_ASCII));
    String both =
        URLEncoder.encode(client, StandardCharsets.UTF_8)
            + ":"
            + URLEncoder.encode(secret, StandardCharsets.UTF_8);
    String basic = "Basic " + Base64.getEncoder().encodeToString(both.getBytes());
    Map<String, String> asked = codes.remove(sent.getOrDefault("code", ""));
    boolean known =
        secretInForm
            ? secret.equals(sent.get("client_secret"))
            : basic.equals(call.getRequestHeaders().getFirst("Authorization"));
    if (!known) {
      answer(call, BAD_REQUEST, Map.of("error", "invalid_client"));
    } else if (asked == null
        || !asked.get("redirect_uri").equals(sent.get("redirect_uri"))
        || !asked.get("code_challenge").equals(challenge(sent.get("code_verifier")))) {
      answer(call, BAD_REQUEST, Map.of("error", "invalid_grant"));
    } else {
      Map<String, Object> claims = new HashMap<>(Map.of("nonce", asked.get("nonce")));
      claims.putAll(person);
      answer(call, OK, Map.of("id_token", sign(claims), "token_type", "Bearer"));
    }
  }

  /** What a login is begun with whose code is to be taken with this verifier (RFC 7636, 4.2). */
  public static String challenge(String verifier) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return base64(digest.digest(verifier.getBytes(StandardCharsets.US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void answer(HttpExchange call, int status, Object json) throws IOException {
    byte[] bytes = Json.bytes(json);
    call.getResponseHeaders().set("Content-Type", "application/json");
    call.sendResponseHeaders(status, bytes.length);
    call.getResponseBody().write(bytes);
    call.close();
  }

  private static Map<String, String> parameters(String query) {
    return Arrays.stream(query.split("&"))
        .map(one -> one.split("=", 2))
        .collect(
            Collectors.toMap(
                one -> one[0], one -> URLDecoder.decode(one[1], StandardCharsets.UTF_8)));
  }

  private static String text(Map<String, ?> json) {
    return base64(Json.bytes(json));
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Of all issuers, each made once, when it is asked for first: to find one takes seconds. */
  private static final class Keys {
    static final KeyPair FIRST = make();

    static final class Next {
      static final KeyPair KEY = make();
    }

    static final class Foreign {
      static final KeyPair KEY = make();
    }

    private static KeyPair make() {
      try {
        KeyPairGenerator keys = KeyPairGenerator.getInstance("RSA");
        keys.initialize(2048);
        return keys.generateKeyPair();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
