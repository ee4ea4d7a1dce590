package io.stoker.cli.command;

import io.stoker.cli.local.PrivateFile;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.security.AccessRole;
import io.stoker.common.security.AccessTokens;
import io.stoker.common.security.AccessTokens.Token;
import io.stoker.common.text.FileTrouble;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoker token}. */
@Command(
    name = "token",
    description = {
      "Makes and revokes the tokens by which people call REST.",
      "They are kept, hashed, in the file that dispatchers read as stoker.http.tokens-file: what",
      "is changed there counts from the next call on."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker token create ann --role submit --queue vision --expires 90d --file tokens.json",
      "  stoker token create ci-7 --role submit --by-certificate     its certificate has CN=ci-7",
      "  stoker token list --file tokens.json",
      "  stoker token revoke ann --file tokens.json"
    })
public final class TokenCommand implements Runnable {
  private static final String VARIABLE = "STOKER_HTTP_TOKENS_FILE";

  @Spec private CommandSpec spec;

  /** Where the tokens are kept. */
  static final class FileOption {
    @Option(
        names = "--file",
        paramLabel = "FILE",
        description = "The file of tokens. Default: $STOKER_HTTP_TOKENS_FILE.")
    private Path given;

    private Path path() {
      if (given != null) {
        return given;
      }
      return AccessOptions.variable(System.getenv(), VARIABLE)
          .map(Path::of)
          .orElseThrow(() -> CliException.usage("--file is missing, and %s".formatted(VARIABLE)));
    }

    /** What it holds, for who does not make it. */
    private AccessTokens readExisting() {
      if (Files.notExists(path())) {
        throw CliException.usage(
            "the tokens cannot be read: %s: there is no such file".formatted(path()));
      }
      return read();
    }

    /** What it holds; nothing yet if it is not there. */
    private AccessTokens read() {
      try {
        return AccessTokens.in(path());
      } catch (IOException e) {
        throw CliException.usage("the tokens cannot be read: " + FileTrouble.text(e));
      } catch (MalformedJson e) {
        throw CliException.usage("%s holds no tokens: %s".formatted(path(), e.getMessage()));
      }
    }

    private void write(AccessTokens tokens) {
      try {
        PrivateFile.write(path().toAbsolutePath(), Json.bytes(tokens));
      } catch (IOException e) {
        throw CliException.failed("the tokens cannot be written: " + FileTrouble.text(e), e);
      }
    }
  }

  @Override
  public void run() {
    throw CliException.usage("token needs a subcommand: create, list or revoke");
  }

  /** {@code stoker token create}. */
  @Command(
      name = "create",
      description = {
        "Makes a token and prints it: it is kept nowhere, and cannot be shown again.",
        "Who has read looks at everything; submit posts requests and changes their own; operate",
        "changes all requests, groups, hosts and pools; admin reloads the configuration, too."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  stoker token create ann --role submit --queue vision --expires 90d --file tokens.json",
        "  stoker token create ci-7 --role submit --by-certificate     its certificate has CN=ci-7"
      })
  int create(
      @Parameters(paramLabel = "NAME", description = "Whose it is: " + AccessTokens.NAMES + ".")
          String name,
      @Option(
              names = "--role",
              paramLabel = "ROLE",
              required = true,
              description = AccessRole.EXPECTED + ".")
          String role,
      @Option(
              names = "--queue",
              paramLabel = "Q",
              description = "Only for requests of this queue; may be given again for others.")
          List<String> queues,
      @Option(
              names = "--expires",
              paramLabel = "D",
              converter = DurationConverter.class,
              description = "How long it is taken, such as 90d. Default: until it is revoked.")
          Duration expires,
      @Option(
              names = "--by-certificate",
              description = {
                "Makes none: NAME calls with a certificate of CN=NAME, which an authority of",
                "stoker.http.client-ca has signed."
              })
          boolean certificate,
      @Option(
              names = "--if-missing",
              description = "Leave the token that NAME has in force, and make none.")
          boolean ifMissing,
      @Mixin FileOption file) {
    if (ifMissing && file.read().named(name).isPresent()) {
      return stays(name);
    }
    String secret = AccessTokens.random(AccessTokens.PREFIX);
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    String until = expires == null ? null : now.plus(expires).toString();
    String hash = certificate ? null : AccessTokens.hash(secret);
    Token token = new Token(name, role, queues, hash, now.toString(), until);
    boolean added = Alone.at(file.path(), () -> add(file, token));
    if (!added && ifMissing) {
      return stays(name);
    }
    if (!added) {
      throw CliException.usage(
          "NAME is %s, which has a token: stoker token revoke %s ends it".formatted(name, name));
    }
    Terminal terminal = Terminal.of(spec);
    if (certificate) {
      terminal.note("%s may call with a certificate of CN=%s".formatted(name, name));
    } else {
      terminal.out().println(secret);
    }
    terminal.flush();
    return ExitCode.DONE;
  }

  /** False if somebody of this name has one. */
  private static boolean add(FileOption file, Token token) {
    AccessTokens before = file.read();
    if (before.named(token.name()).isPresent()) {
      return false;
    }
    AccessTokens after = before.with(token);
    try {
      AccessTokens.read(Json.bytes(after));
    } catch (MalformedJson e) {
      throw CliException.usage(e.getMessage());
    }
    file.write(after);
    return true;
  }

  private int stays(String name) {
    Terminal terminal = Terminal.of(spec);
    terminal.note("%s has a token, which stays in force".formatted(name));
    terminal.flush();
    return ExitCode.DONE;
  }

  /** {@code stoker token list}. */
  @Command(
      name = "list",
      description = "Shows who has tokens, and for what.",
      footerHeading = "%nExamples:%n",
      footer = {
        "  stoker token list --file tokens.json",
        "  stoker token list --json | jq -r .name"
      })
  int list(
      @Mixin FileOption file,
      @Option(names = "--json", description = "One a line, without hashes.") boolean json) {
    Terminal terminal = Terminal.of(spec);
    Instant now = Instant.now();
    Table table = new Table("NAME", "BY", "ROLE", "QUEUES", "CREATED", "EXPIRES");
    for (Token one : file.readExisting().tokens()) {
      if (json) {
        terminal.out().println(Json.text(shown(one)));
      } else {
        String queues = one.queues().isEmpty() ? "all" : String.join(",", one.queues());
        String expires = one.isOver(now) ? one.expires() + " (over)" : one.expires();
        table.row(one.name(), by(one), one.role(), queues, one.created(), expires);
      }
    }
    if (!json && table.isEmpty()) {
      terminal.note("there are none");
    } else if (!json) {
      table.print(terminal);
    }
    terminal.flush();
    return ExitCode.DONE;
  }

  private static String by(Token one) {
    return one.byCertificate() ? "certificate" : "token";
  }

  private static Map<String, Object> shown(Token one) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", one.name());
    shown.put("by", by(one));
    shown.put("role", one.role());
    shown.put("queues", one.queues());
    shown.put("created", one.created());
    shown.put("expires", one.expires());
    shown.values().removeIf(Objects::isNull);
    return shown;
  }

  /** {@code stoker token revoke}. */
  @Command(
      name = "revoke",
      description = "Ends tokens: they are not taken any more.",
      footerHeading = "%nExamples:%n",
      footer = "  stoker token revoke ann --file tokens.json")
  int revoke(
      @Parameters(paramLabel = "NAME", arity = "1..*", description = "Whose they are.")
          List<String> names,
      @Mixin FileOption file) {
    return Alone.at(file.path(), () -> drop(names, file));
  }

  private static int drop(List<String> names, FileOption file) {
    AccessTokens tokens = file.readExisting();
    for (String name : names) {
      if (tokens.named(name).isEmpty()) {
        throw CliException.unknownId("nobody called %s has a token".formatted(name));
      }
      tokens = tokens.without(name);
    }
    file.write(tokens);
    return ExitCode.DONE;
  }
}
