package io.stoker.cli.command;

import io.stoker.cli.local.Addresses;
import io.stoker.cli.local.Contexts.Context;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.Access;
import io.stoker.cli.rest.RestClient;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Finds Kafka and REST for a command: {@code STOKER_BOOTSTRAP} and {@code STOKER_URL} if set, else
 * those of the chosen context, else the local stack of the data folder. Every address is looked up
 * when it is first needed.
 */
public final class Connection {
  public static final String BOOTSTRAP_VARIABLE = "STOKER_BOOTSTRAP";
  public static final String URL_VARIABLE = "STOKER_URL";
  public static final String PREFIX_VARIABLE = "STOKER_TOPICS_PREFIX";
  private static final String CONFIG_VARIABLE = "STOKER_KAFKA_CONFIG";

  private final DataFolder data;
  private final Map<String, String> environment;
  private final Optional<Context> context;
  private final AccessOptions options;

  /** Of somebody who has chosen no context and not said who they are. */
  public Connection(DataFolder data, Map<String, String> environment) {
    this(data, environment, Optional.empty(), new AccessOptions());
  }

  /**
   * @param context that was chosen; empty for the local stack
   * @param options who asks
   */
  Connection(
      DataFolder data,
      Map<String, String> environment,
      Optional<Context> context,
      AccessOptions options) {
    this.data = data;
    this.environment = Map.copyOf(environment);
    this.context = context;
    this.options = options;
  }

  /** By this process's environment. */
  public static Connection of(DataOption option) {
    Map<String, String> environment = System.getenv();
    Optional<Context> context = option.access().context(environment, option.isChosen());
    return new Connection(option.folder(), environment, context, option.access());
  }

  /**
   * Kafka, if it is there and speaks as the client's settings have it.
   *
   * @throws CliException as {@link #access} does, and with exit code 3 if it does not
   */
  public KafkaAccess kafka() {
    KafkaAccess access = access();
    if (isLocal()) {
      return access; // what is down of it is started again
    }
    if (access.closed()) {
      throw CliException.unreachable(
          "Kafka at %s refuses connections: is it running, is STOKER_BOOTSTRAP right?"
              .formatted(access));
    }
    Optional<String> mismatch = access.mismatch();
    if (mismatch.isPresent()) {
      throw CliException.unreachable(mismatch.get());
    }
    return access;
  }

  /**
   * Kafka, with the TLS and the login that variables or the local stack's files name.
   *
   * @throws CliException with exit code 3 if there is neither a variable nor a local stack, 2 if a
   *     file cannot be read
   */
  public KafkaAccess access() {
    Optional<String> named = variable(BOOTSTRAP_VARIABLE).or(() -> context.map(Context::bootstrap));
    if (named.isEmpty() && variable(CONFIG_VARIABLE).isEmpty()) {
      if (context.isPresent()) {
        throw CliException.usage(
            "the context has no Kafka: set %s, or add it again with --bootstrap"
                .formatted(BOOTSTRAP_VARIABLE));
      }
      return localStack(BOOTSTRAP_VARIABLE).kafka();
    }
    try {
      return KafkaAccess.ofEnvironment(environment, named);
    } catch (IllegalArgumentException e) {
      throw CliException.usage(e.getMessage());
    }
  }

  /** Speaks with a dispatcher. */
  public RestClient rest() {
    // A token goes to no other dispatcher than the one that it was kept for.
    Optional<Context> own = context.filter(chosen -> variable(URL_VARIABLE).isEmpty());
    URI url = url();
    return new RestClient(
        url,
        new Access(
            options
                .token(environment)
                .or(() -> own.map(Context::token))
                .or(this::tokenOfLocalStack),
            options.ca(environment).or(() -> own.map(Context::ca).map(Path::of)),
            options
                .certificate(environment)
                .or(() -> own.map(Context::certificate).map(Path::of))));
  }

  private Optional<String> tokenOfLocalStack() {
    return context.isEmpty() && variable(URL_VARIABLE).isEmpty()
        ? Access.byTokenIn(localStack(URL_VARIABLE).tokenFile()).token()
        : Optional.empty();
  }

  /**
   * REST of a dispatcher.
   *
   * @throws CliException with exit code 3 if there is neither a variable nor a local stack with a
   *     dispatcher, 2 if the variable is no URL
   */
  public URI url() {
    Optional<String> named = variable(URL_VARIABLE);
    if (named.isPresent()) {
      return parse(URL_VARIABLE, named.get());
    }
    if (context.isPresent()) {
      return parse("the url of the context", context.get().url());
    }
    String local = localStack(URL_VARIABLE).url();
    if (local == null) {
      throw CliException.unreachable(
          "the stack on %s has no dispatcher; start it with --dispatchers 1 or set %s"
              .formatted(data, URL_VARIABLE));
    }
    return URI.create(local);
  }

  /** Whether commands reach a stack of this machine, and not one that variables name. */
  public boolean isLocal() {
    return context.isEmpty()
        && variable(URL_VARIABLE).isEmpty()
        && variable(BOOTSTRAP_VARIABLE).isEmpty()
        && variable(CONFIG_VARIABLE).isEmpty();
  }

  /** Prefix of every topic's name. */
  public String topicPrefix() {
    return variable(PREFIX_VARIABLE).orElse(Topics.DEFAULT_PREFIX);
  }

  /** The local stack, if one runs and is ready. */
  public Optional<RunningStack> running() {
    try {
      return RunningStack.find(data).filter(RunningStack::ready);
    } catch (IOException e) {
      throw CliException.unreachable(
          "cannot read what runs on %s: %s".formatted(data, e.getMessage()), e);
    }
  }

  private Addresses localStack(String variable) {
    return running()
        .map(RunningStack::addresses)
        .orElseThrow(
            () ->
                CliException.unreachable(
                    "no stack runs on %s: start one with stoker up, or set %s"
                        .formatted(data, variable)));
  }

  private Optional<String> variable(String name) {
    return AccessOptions.variable(environment, name);
  }

  /**
   * An address of REST.
   *
   * @param name what it was given by
   * @throws CliException with exit code 2 if it is none
   */
  static URI parse(String name, String url) {
    try {
      URI uri = URI.create(url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
      if (uri.getHost() != null && uri.isAbsolute() && uri.getScheme().matches("(?i)https?")) {
        return uri;
      }
    } catch (IllegalArgumentException notAUri) {
      // Answered below with its name.
    }
    throw CliException.usage(
        "%s is %s, expected something like http://host:8080".formatted(name, url));
  }
}
