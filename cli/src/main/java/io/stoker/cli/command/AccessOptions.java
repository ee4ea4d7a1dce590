package io.stoker.cli.command;

import io.stoker.cli.local.Contexts;
import io.stoker.cli.local.Contexts.Context;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * The options by which a command chooses a stack elsewhere, and says who it is there. The help of
 * all commands together has them, and that of each is the shorter for it.
 */
public final class AccessOptions {
  static final String TOKEN_VARIABLE = "STOKER_TOKEN";
  static final String CA_VARIABLE = "STOKER_CA";
  static final String CERT_VARIABLE = "STOKER_CERT";
  private static final String CONTEXT_VARIABLE = "STOKER_CONTEXT";

  @Option(
      names = "--context",
      hidden = true,
      paramLabel = "NAME",
      description = "Stack, see stoker context. Default: $STOKER_CONTEXT, else the one in use.")
  private String context;

  @Option(
      names = "--token",
      hidden = true,
      paramLabel = "TOKEN",
      description = "Of REST. Others may see it: rather set $STOKER_TOKEN, or use stoker login.")
  private String token;

  @Option(
      names = "--ca",
      hidden = true,
      paramLabel = "FILE",
      description = "Certificates (PEM) by which REST is believed by HTTPS. Default: $STOKER_CA.")
  private Path ca;

  @Option(
      names = "--cert",
      hidden = true,
      paramLabel = "FILE",
      description = "Own certificate and its key (PEM), for HTTPS. Default: $STOKER_CERT.")
  private Path certificate;

  /** The name that was given. */
  Optional<String> name() {
    return Optional.ofNullable(context);
  }

  /**
   * The context that was chosen.
   *
   * @param local whether a local stack was chosen by another option
   */
  Optional<Context> context(Map<String, String> environment, boolean local) {
    Optional<String> named = name().or(() -> variable(environment, CONTEXT_VARIABLE));
    if (named.isEmpty() && local) {
      return Optional.empty();
    }
    Contexts contexts = Contexts.read(Contexts.file(environment));
    return named.isPresent() ? contexts.named(named.get()) : contexts.current();
  }

  /** The token that was given to this command. */
  Optional<String> token(Map<String, String> environment) {
    return Optional.ofNullable(token)
        .or(() -> variable(environment, TOKEN_VARIABLE))
        .map(String::strip);
  }

  /** The file of certificates that was given to this command. */
  Optional<Path> ca(Map<String, String> environment) {
    return Optional.ofNullable(ca).or(() -> variable(environment, CA_VARIABLE).map(Path::of));
  }

  /** The file with the own certificate that was given to this command. */
  Optional<Path> certificate(Map<String, String> environment) {
    return Optional.ofNullable(certificate)
        .or(() -> variable(environment, CERT_VARIABLE).map(Path::of));
  }

  /** A path that leads there from any folder. */
  static String whole(Path given) {
    return given.toAbsolutePath().normalize().toString();
  }

  static Optional<String> variable(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }
}
