package io.stoker.cli.stack.service;

import io.stoker.cli.local.Home;
import io.stoker.cli.stack.child.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * How to run a service that was built: by its jar, or, where the JVM has a cache of what its start
 * loads and links, by the same classes on a plain class path, which such a cache needs.
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

  /** What makes either service start for the cache's sake, and end by itself. */
  private static final String REHEARSE = "rehearse";

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
        "io.stoker.agent.link.AgentMain", jar, AGENT_FLAGS, new StartCache.Place(cache, "agent"));
  }

  /** Its cache, of this JVM and this build. */
  StartCache startCache() throws IOException {
    return new StartCache(cache, jars(), JavaCommand.allFlags(flags));
  }

  /**
   * What runs it.
   *
   * @param more flags of the JVM, besides its own
   * @param arguments of the program
   */
  public List<String> command(List<String> more, String... arguments) throws IOException {
    StartCache made = startCache();
    Optional<Path> cached = made.file();
    return cached.isPresent()
        ? onClassPath(
            made.classPath(), List.of("-XX:AOTCache=" + cached.get()), more, List.of(arguments))
        : JavaCommand.jar(all(List.of(), more), jar, List.of(arguments));
  }

  /**
   * What makes its cache. The JVM could do both steps at once, but then by a process of its own
   * that nobody could end.
   */
  private List<List<String>> rehearsal(Path cacheFile) throws IOException {
    String noted = "-XX:AOTConfiguration=" + cacheFile + ".noted";
    Path classPath = startCache().classPath();
    return List.of(
        onClassPath(classPath, List.of("-XX:AOTMode=record", noted), List.of(), List.of(REHEARSE)),
        onClassPath(
            classPath,
            List.of("-XX:AOTMode=create", noted, "-XX:AOTCache=" + cacheFile),
            List.of(),
            List.of(REHEARSE)));
  }

  private List<String> onClassPath(
      Path classPath, List<String> first, List<String> more, List<String> arguments)
      throws IOException {
    List<String> all = new ArrayList<>(first);
    // It says what does not fit to nobody's use: then it does without.
    all.addAll(List.of("-Xlog:aot=off", "-Xlog:cds=off"));
    all.addAll(manifestFlags());
    all.add("-Djava.util.logging.manager=org.jboss.logmanager.LogManager");
    return JavaCommand.main(all(all, more), classPath, main, arguments);
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

  private List<String> all(List<String> first, List<String> more) {
    return Stream.of(first, flags, more).flatMap(List::stream).toList();
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

  /** Makes the cache if there is none; see {@link StartCache#makeInBackground}. */
  public void makeCacheInBackground() throws IOException {
    startCache().makeInBackground(this::rehearsal);
  }

  /**
   * Makes the cache if there is none, and returns when it is there.
   *
   * @return whether there is one now
   */
  public boolean makeCache() throws IOException, InterruptedException {
    return startCache().make(this::rehearsal);
  }
}
