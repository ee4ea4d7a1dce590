package io.stoker.cli.stack.service;

import io.stoker.cli.stack.child.JavaCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

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
  public JavaProgram(StartCache.Place place, String main, List<Path> jars, List<String> flags)
      throws IOException {
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
    List<String> first =
        cache.file().map(file -> quietly("-XX:AOTCache=" + file)).orElse(List.of());
    return command(first, more, arguments);
  }

  private List<String> command(List<String> first, List<String> more, List<String> arguments)
      throws IOException {
    List<String> all = Stream.of(first, flags, more).flatMap(List::stream).toList();
    return JavaCommand.main(all, cache.classPath(), main, arguments);
  }

  /** A JVM with a cache says of what does not fit to nobody's use, and does without. */
  private static List<String> quietly(String... flags) {
    return Stream.concat(Stream.of(flags), Stream.of("-Xlog:aot=off", "-Xlog:cds=off")).toList();
  }

  /**
   * What makes its cache. The JVM could do both steps at once, but then by a process of its own
   * that nobody could end.
   */
  private List<List<String>> rehearsal(Path file) throws IOException {
    String noted = "-XX:AOTConfiguration=" + file + ".noted";
    return List.of(
        rehearsal(quietly("-XX:AOTMode=record", noted)),
        rehearsal(quietly("-XX:AOTMode=create", noted, "-XX:AOTCache=" + file)));
  }

  private List<String> rehearsal(List<String> step) throws IOException {
    return command(step, List.of(), List.of(REHEARSE));
  }

  /** Makes the cache if there is none; see {@link StartCache#makeInBackground}. */
  public void makeCacheInBackground() {
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
