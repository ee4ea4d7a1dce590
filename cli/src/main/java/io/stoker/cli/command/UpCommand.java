package io.stoker.cli.command;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Home;
import io.stoker.cli.local.StackInfo;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackBusyException;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.kafka.EmbeddedKafka;
import io.stoker.cli.stack.service.ServiceProgram;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.common.text.FileTrouble;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stoker up}. */
@Command(
    name = "up",
    description = {
      "Starts a whole stack on this machine.",
      "Kafka, Postgres, Redis, dispatchers and agents. It runs until Ctrl-C, SIGTERM or stoker down,",
      "and keeps its data for the next time. What is set otherwise than at its last start is said."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker up                       one dispatcher, one host, data in .stoker",
      "  stoker up --detach --hosts 3    three hosts; returns when all is ready",
      "  stoker up --gpus 4              four simulated GPUs",
      "  stoker up --detach --json | jq -r .url",
      "  stoker up --data /tmp/a         a second stack beside the first",
      "  stoker up --config my.properties    with settings of its dispatchers and agents"
    })
public final class UpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Option(
      names = "--detach",
      description = "Return when the stack is ready and leave it running in the background.")
  private boolean detach;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "1",
      description = "Agents, host-1 to host-N. Default: ${DEFAULT-VALUE}. 0 is allowed.")
  private int hosts;

  @Option(
      names = "--gpus",
      paramLabel = "N",
      defaultValue = "0",
      description = {
        "Simulated GPUs of each host, in place of the machine's; needs a C compiler.",
        "Their files are in DIR/gpus/HOST. Default: ${DEFAULT-VALUE}, the real ones."
      })
  private int gpus;

  @Option(
      names = "--dispatchers",
      paramLabel = "N",
      defaultValue = "1",
      description = "Dispatcher replicas. Default: ${DEFAULT-VALUE}. 0 is allowed.")
  private int dispatchers;

  @Option(
      names = "--secure",
      description = {
        "Kafka with TLS, logins and rights, REST with tokens: see docs/security.md.",
        "For a new DIR, in which passwords and a token are made; it stays so."
      })
  private boolean secure;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = {
        "Properties file with settings of dispatchers and agents, see docs/configuration.md.",
        "They are kept in DIR, for later starts without it. Variables (STOKER_...) win over them."
      })
  private Path config;

  @Option(
      names = "--json",
      description = "Once it is ready, what stoker info --json prints, as one line.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    StackOptions options =
        StackOptions.DEFAULT
            .withHosts(hosts)
            .withGpus(gpus)
            .withDispatchers(dispatchers)
            .withSecure(secure);
    DataFolder folder = data.folder();
    make(folder);
    PrintWriter err = spec.commandLine().getErr();
    StartSettings settings =
        StartSettings.of(
            folder, Optional.ofNullable(config), options, text -> err.println("stoker: " + text));
    settings.say(err);
    if (detach) {
      if (!DetachedUp.start(
          spec.root().userObject().getClass(), folder, options, Optional.ofNullable(config), err)) {
        return Interrupts.EXIT_CODE;
      }
      ready(InfoPrinter.find(folder));
      return ExitCode.DONE;
    }
    return runHere(folder, options.withSettings(settings.byKey()), settings);
  }

  private static void make(DataFolder folder) {
    try {
      folder.create();
      if (!Files.isWritable(folder.root())) {
        throw new AccessDeniedException(folder.toString());
      }
    } catch (IOException e) {
      throw CliException.usage(
          "the data folder is %s, expected a folder that can be made and written to: %s; see --data"
              .formatted(folder, FileTrouble.text(e)));
    }
  }

  private int runHere(DataFolder folder, StackOptions options, StartSettings settings)
      throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    CountDownLatch stopped = new CountDownLatch(1);
    StopOnSignal onSignal = StopOnSignal.install(Thread.currentThread(), stopped);
    err.println("stoker: starting on " + folder + " ...");
    try (EmbeddedStack stack =
        EmbeddedStack.start(folder, options, message -> err.println("stoker: " + message))) {
      settings.keep(folder);
      ready(stack.info());
      makeStartCaches(stack.info());
      onSignal.await();
      err.println("stoker: stopping ...");
    } catch (StackBusyException e) {
      onSignal.remove();
      throw CliException.usage(e.getMessage());
    } catch (RuntimeException e) {
      onSignal.remove();
      throw e;
    } catch (InterruptedException e) {
      // Asked to stop while it was starting: the same as later.
    } catch (IOException e) {
      onSignal.remove();
      throw CliException.failed(settings.placed(FileTrouble.text(e)), e);
    } finally {
      stopped.countDown();
    }
    err.println("stoker: stopped");
    return ExitCode.DONE;
  }

  private void ready(StackInfo info) {
    InfoPrinter printer = new InfoPrinter(spec.commandLine().getOut());
    if (json) {
      printer.json(info);
    } else {
      printer.ready(info);
    }
    if (info.url() != null) {
      String token =
          info.tokenFile() == null ? "" : ", and asks for the token in " + info.tokenFile();
      spec.commandLine().getErr().println("stoker: its page is at " + info.url() + "/" + token);
    }
  }

  /** The next start of what this stack runs is quicker. */
  private void makeStartCaches(StackInfo info) throws IOException {
    Home home = Home.locate();
    if (dispatchers > 0) {
      ServiceProgram.dispatcher(home).onClassPath().makeCacheInBackground();
    }
    if (hosts > 0) {
      ServiceProgram.agent(home).onClassPath().makeCacheInBackground();
    }
    // A stack that was made a secure one stays it.
    EmbeddedKafka.program(home.cache(), info.kafkaConfig() != null).makeCacheInBackground();
  }
}
