package io.stoker.cli.stack.service;

import io.stoker.cli.stack.child.JavaCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A program on a plain class path, started by a cache of what each start of it loads and links
 * where the JVM has one.
 */
public final class JavaProgram {
  /** Its argument for a start, and an end by itself, that are for the cache's sake alone. */
  public static final String REHEARSE = "rehearse";

  private final String main;
  private final List<String> flags;
  private final StartCache cache;

  /**
   * @param main its class; given {@link #REHEARSE}, it touches nothing but what it makes in the
   *     folder that it is started in
   * @param jars its class path
   * @param flags of the JVM
   */
  public JavaProgram(StartCache.Place place, String main, List<Path> jars, List<String> flags) {
    this.main = main;
    this.flags = flags;
    cache = new StartCache(place, jars, JavaCommand.allFlags(flags));
  }

  StartCache startCache() {
    return cache;
  }

  /**
   * What runs it.
   *
   * @param more flags of the JVM, besides its own
   */
  public List<String> command(List<String> more, List<String> arguments) throws IOException {
    Optional<Path> cached = cache.file();
    List<String> first = new ArrayList<>();
    if (cached.isPresent()) {
      first.add("-XX:AOTCache=" + cached.get());
      first.addAll(StartCache.QUIET);
    }
    return command(first, more, arguments);
  }

  private List<String> command(List<String> first, List<String> more, List<String> arguments)
      throws IOException {
    List<String> all = new ArrayList<>(first);
    all.addAll(flags);
    all.addAll(more);
    return JavaCommand.main(all, cache.classPath(), main, arguments);
  }

  /**
   * What makes its cache. The JVM could do both steps at once, but then by a process of its own
   * that nobody could end.
   */
  private List<List<String>> rehearsal(Path file) throws IOException {
    String noted = "-XX:AOTConfiguration=" + file + ".noted";
    List<List<String>> steps = new ArrayList<>();
    for (List<String> step :
        List.of(
            List.of("-XX:AOTMode=record", noted),
            List.of("-XX:AOTMode=create", noted, "-XX:AOTCache=" + file))) {
      List<String> first = new ArrayList<>(step);
      first.addAll(StartCache.QUIET);
      steps.add(command(first, List.of(), List.of(REHEARSE)));
    }
    return steps;
  }

  /** Makes the cache if there is none; see {@link StartCache#makeInBackground}. */
  public void makeCacheInBackground() throws IOException {
    cache.makeInBackground(this::rehearsal);
  }

  /**
   * Makes the cache if there is none, and returns when it is there.
   *
   * @return whether there is one now
   */
  public boolean makeCache() throws IOException, InterruptedException {
    return cache.make(this::rehearsal);
  }
}
