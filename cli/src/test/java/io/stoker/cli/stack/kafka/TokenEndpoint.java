package io.stoker.cli.stack.kafka;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.stoker.cli.local.FreePorts;
import io.stoker.common.json.Json;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * Gives tokens to clients that say the secret (RFC 6749, 4.4): good ones, and to clients of some
 * names such as no broker takes.
 */
final class TokenEndpoint implements AutoCloseable {
  static final String AUDIENCE = "kafka";
  static final String EXPIRED = "expired";
  static final String FORGED = "forged";
  static final String GARBAGE = "garbage";

  private static final int HOUR = 3_600;

  private final HttpServer server;
  private final String secret;
  private final KeyPair own;
  private final KeyPair other;

  TokenEndpoint(String secret) throws IOException, GeneralSecurityException {
    this.secret = secret;
    KeyPairGenerator keys = KeyPairGenerator.getInstance("RSA");
    keys.initialize(2048);
    own = keys.generateKeyPair();
    other = keys.generateKeyPair();
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", FreePorts.one()), 0);
    server.createContext("/token", this::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:%d/token".formatted(server.getAddress().getPort());
  }

  /** By which brokers see whose a token is (RFC 7517). */
  void writeKeys(Path file) throws IOException {
    RSAPublicKey open = (RSAPublicKey) own.getPublic();
    Map<String, String> key =
        Map.of(
            "kty",
            "RSA",
            "alg",
            "RS256",
            "use",
            "sig",
            "kid",
            "own",
            "n",
            base64(open.getModulus().toByteArray()),
            "e",
            base64(open.getPublicExponent().toByteArray()));
    Files.write(file, Json.bytes(Map.of("keys", List.of(key))));
  }

  private void answer(HttpExchange call) throws IOException {
    String basic = call.getRequestHeaders().getFirst("Authorization").replaceFirst("Basic ", "");
    String[] said = new String(Base64.getDecoder().decode(basic)).split(":", 2);
    if (said[1].equals(secret)) {
      answer(call, 200, Map.of("access_token", token(said[0]), "token_type", "Bearer"));
    } else {
      answer(call, 401, Map.of("error", "invalid_client"));
    }
  }

  private static void answer(HttpExchange call, int status, Object json) throws IOException {
    byte[] bytes = Json.bytes(json);
    call.sendResponseHeaders(status, bytes.length);
    call.getResponseBody().write(bytes);
    call.close();
  }

  private String token(String client) {
    long now = Instant.now().getEpochSecond();
    return switch (client) {
      case GARBAGE -> "garbage";
      case EXPIRED -> signed(client, own, now - 2 * HOUR);
      case FORGED -> signed(client, other, now);
      default -> signed(client, own, now);
    };
  }

  private static String signed(String client, KeyPair by, long issued) {
    String body =
        text(Map.of("alg", "RS256", "kid", "own"))
            + "."
            + text(Map.of("sub", client, "aud", AUDIENCE, "iat", issued, "exp", issued + HOUR));
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(by.getPrivate());
      signature.update(body.getBytes(StandardCharsets.US_ASCII));
      return body + "." + base64(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String text(Map<String, ?> json) {
    return base64(Json.bytes(json));
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
