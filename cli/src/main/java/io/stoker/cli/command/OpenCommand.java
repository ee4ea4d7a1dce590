package io.stoker.cli.command;

import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.RestClient;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoker open}. */
@Command(
    name = "open",
    description = {
      "Opens the dispatcher's page in a browser.",
      "Prints its address; where there is no browser, that is all. BROWSER names another one."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  stoker open", "  stoker open train-042", "  stoker open --print"})
public final class OpenCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(arity = "0..1", paramLabel = "ID", description = "A request. Default: what is now.")
  private String id;

  @Option(names = "--print", description = "Only print the address.")
  private boolean print;

  @Override
  public Integer call() {
    URI page = page(Connection.of(data).url(), Optional.ofNullable(id));
    spec.commandLine().getOut().println(page);
    spec.commandLine().getOut().flush();
    if (!print) {
      browser(System.getenv(), System.getProperty("os.name")).ifPresent(name -> start(name, page));
    }
    return ExitCode.DONE;
  }

  static URI page(URI dispatcher, Optional<String> id) {
    String path = id.map(one -> "requests/" + RestClient.encoded(one)).orElse("");
    String base = dispatcher.toString();
    return URI.create((base.endsWith("/") ? base : base + "/") + path);
  }

  /** The program that shows pages; empty where there is no screen. */
  static Optional<String> browser(Map<String, String> environment, String system) {
    if (environment.containsKey("BROWSER")) {
      return Optional.of(environment.get("BROWSER")).filter(name -> !name.isBlank());
    }
    if (system.startsWith("Mac")) {
      return Optional.of("open");
    }
    boolean screen =
        environment.containsKey("DISPLAY") || environment.containsKey("WAYLAND_DISPLAY");
    return screen ? Optional.of("xdg-open") : Optional.empty();
  }

  private void start(String browser, URI page) {
    try {
      new ProcessBuilder(List.of(browser, page.toString()))
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      spec.commandLine().getErr().println("stoker: " + e.getMessage());
    }
  }
}
