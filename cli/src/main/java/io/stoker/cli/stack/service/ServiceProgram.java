package io.stoker.cli.stack.service;

import io.stoker.cli.local.Home;
import io.stoker.cli.stack.child.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Says how to run a service that was built: by its jar, or, where the JVM has a cache of what its
 * start loads and links, by the same classes on a plain class path, which such a cache needs.
 */
public final class ServiceProgram {
  /**
   * What a dispatcher does is spread over three thousand hot methods without a hot loop. Inlined
   * half as deep, and with loops left as they are, the second compiler is done with them in two
   * thirds of the CPU, and what it makes is no slower (docs/performance.md). Another JVM may lack
   * some of these.
   */
  private static final List<String> DISPATCHER_FLAGS =
      List.of(
          "-Xms64m",
          // A collector lets a heap fill whatever it may have; 50 MiB of it are in use at most.
          "-Xmx130m",
          "-Xmn54m",
          "-XX:+IgnoreUnrecognizedVMOptions",
          // A tenth less of the heap is in use, and to be copied. JDK 24 takes it for an
          // experiment.
          "-XX:+UnlockExperimentalVMOptions",
          "-XX:+UseCompactObjectHeaders",
          "-XX:MaxInlineLevel=9",
          "-XX:FreqInlineSize=150",
          "-XX:LoopUnrollLimit=20",
          "-XX:-UseSuperWord",
          // What compilers took for a moment goes back to the system.
          "-XX:TrimNativeHeapInterval=5000");

  /**
   * An agent mostly waits for the kernel and the broker: in its first minutes the second compiler
   * would take more CPU than all else it does, and tens of MiB for good.
   */
  private static final List<String> AGENT_FLAGS =
      List.of(
          "-Xms16m",
          "-Xmx192m",
          "-XX:TieredStopAtLevel=1",
          "-XX:-UsePerfData",
          "-XX:MinHeapFreeRatio=20",
          "-XX:MaxHeapFreeRatio=40");

  private final String main;
  private final Path jar;
  private final List<String> flags;
  private final StartCache.Place cache;

  private ServiceProgram(String main, Path jar, List<String> flags, StartCache.Place cache) {
    this.main = main;
    this.jar = jar;
    this.flags = flags;
    this.cache = cache;
  }

  /** The dispatcher that was built here. */
  public static ServiceProgram dispatcher(Home home) {
    return new ServiceProgram(
        "io.stoker.dispatcher.Main",
        home.dispatcherJar(),
        DISPATCHER_FLAGS,
        new StartCache.Place(home.cache(), "dispatcher"));
  }

  /** The agent that was built here. */
  public static ServiceProgram agent(Home home) {
    return agent(home.agentJar(), home.cache());
  }

  /**
   * @param jar the agent's runnable jar
   * @param cache folder for what can be made again
   */
  static ServiceProgram agent(Path jar, Path cache) {
    return new ServiceProgram(
        "io.stoker.agent.app.AgentMain", jar, AGENT_FLAGS, new StartCache.Place(cache, "agent"));
  }

  /**
   * How a file of settings is named to one: as a URI, in which a comma would end it and a dollar
   * sign would begin the name of another setting.
   */
  public static String location(Path file) {
    return file.toUri().toString().replace(",", "%2C").replace("$", "%24");
  }

  /** The same classes on a plain class path. */
  public JavaProgram onClassPath() throws IOException {
    List<String> all = new ArrayList<>(flags);
    all.addAll(manifestFlags());
    all.add("-Djava.util.logging.manager=org.jboss.logmanager.LogManager");
    return new JavaProgram(cache, main, jars(), all);
  }

  /**
   * What runs it.
   *
   * @param more flags of the JVM, besides its own
   * @param arguments of the program
   */
  public List<String> command(List<String> more, String... arguments) throws IOException {
    JavaProgram program = onClassPath();
    return program.startCache().file().isPresent()
        ? program.command(more, List.of(arguments))
        : JavaCommand.jar(
            Stream.concat(flags.stream(), more.stream()).toList(), jar, List.of(arguments));
  }

  /** What a jar's manifest says to {@code java -jar} alone, as flags. */
  private List<String> manifestFlags() throws IOException {
    List<String> said = new ArrayList<>();
    try (JarFile file = new JarFile(jar.toFile())) {
      Attributes manifest = file.getManifest().getMainAttributes();
      for (String way : List.of("Add-Opens", "Add-Exports")) {
        String packages = manifest.getValue(way);
        if (packages != null) {
          for (String each : packages.strip().split("\\s+")) {
            said.add("--%s=%s=ALL-UNNAMED".formatted(way.toLowerCase(Locale.ROOT), each));
          }
        }
      }
      String natives = manifest.getValue("Enable-Native-Access");
      if (natives != null) {
        said.add("--enable-native-access=" + natives);
      }
    }
    return said;
  }

  /** All of its classes, those first that win over later ones; always in the same order. */
  private List<Path> jars() throws IOException {
    Path app = jar.getParent();
    List<Path> jars = new ArrayList<>();
    jars.add(app.resolve("quarkus/transformed-bytecode.jar"));
    jars.add(app.resolve("quarkus/generated-bytecode.jar"));
    for (String folder : List.of("app", "lib/boot", "lib/main")) {
      if (Files.isDirectory(app.resolve(folder))) {
        try (Stream<Path> files = Files.list(app.resolve(folder))) {
          files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(jars::add);
        }
      }
    }
    return jars.stream().filter(Files::isRegularFile).toList();
  }
}
