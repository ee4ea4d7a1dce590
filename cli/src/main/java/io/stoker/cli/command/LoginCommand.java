package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.local.Contexts;
import io.stoker.cli.local.Contexts.Context;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Access;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.rest.RestClient.Answer;
import io.stoker.cli.terminal.Terminal;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoker login}. */
@Command(
    name = "login",
    description = {
      "Keeps a dispatcher's address and a token, and uses them from now on.",
      "The token is asked for, or read from standard input: a line. It is tried, and kept in a file",
      "that its owner alone may read, as the context that --context names, by default the address's",
      "host; --ca FILE has the certificates (PEM) of an own authority. With --cert FILE",
      "(PEM: the own certificate and its key, PKCS #8) no token is asked for."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker login https://stoker.example.com",
      "  stoker login https://gpu-box:8443 --ca ca.pem --context lab --bootstrap gpu-box:9092",
      "  stoker login https://gpu-box:8443 --ca ca.pem --cert ann.pem",
      "  stoker token create ann --role submit | ssh ann@desk stoker login http://gpu-box:8080"
    })
public final class LoginCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private AccessOptions access;

  @Parameters(paramLabel = "URL", description = "Of REST, such as https://host:8443.")
  private String url;

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      description = "Kafka beside it, for the commands that need it.")
  private String bootstrap;

  @Override
  public Integer call() throws IOException {
    Terminal terminal = Terminal.of(spec);
    Map<String, String> environment = System.getenv();
    URI base = Connection.parse("URL", url);
    String name = access.name().orElse(base.getHost());
    Path file = Contexts.file(environment);
    Contexts before = Contexts.read(file);
    Optional<String> ca = access.ca(environment).map(AccessOptions::whole);
    Optional<String> certificate = access.certificate(environment).map(AccessOptions::whole);
    Optional<String> token = access.token(environment);
    if (token.isEmpty() && certificate.isEmpty()) {
      token = Optional.of(asked(terminal));
    }
    Context added =
        new Context(
            base.toString(),
            bootstrap,
            token.orElse(null),
            ca.orElse(null),
            certificate.orElse(null));
    Contexts after = before.with(name, added);
    if (base.getScheme().equals("http") && !isThisMachine(base)) {
      terminal.note("%s is no HTTPS: whoever is between reads the token".formatted(base));
    }
    JsonNode who = who(base, new Access(token, ca.map(Path::of), certificate.map(Path::of)));
    after.use(name).write(file);
    terminal.note(
        "%s is in use, as %s (%s)"
            .formatted(name, who.path("name").asText("anybody"), who.path("role").asText()));
    return ExitCode.DONE;
  }

  private static JsonNode who(URI base, Access access) {
    try (RestClient rest = new RestClient(base, access)) {
      Answer answer = rest.get("/whoami");
      if (answer.status() != 200) {
        throw rest.unexpected("asking who the token is of", answer);
      }
      return answer.body();
    }
  }

  private static String asked(Terminal terminal) {
    Console console = System.console();
    if (terminal.asks() && console != null) {
      char[] typed = console.readPassword("Token: ");
      return given(typed == null ? null : new String(typed));
    }
    try {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      return given(in.readLine());
    } catch (IOException e) {
      throw CliException.failed("the token cannot be read: " + e.getMessage(), e);
    }
  }

  private static String given(String line) {
    if (line == null || line.isBlank()) {
      throw CliException.usage("there is no token: expected a line with it on standard input");
    }
    return line.strip();
  }

  private static boolean isThisMachine(URI base) {
    try {
      return InetAddress.getByName(base.getHost()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
