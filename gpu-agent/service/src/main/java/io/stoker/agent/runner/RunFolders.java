package io.stoker.agent.runner;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.spawn.StateFile;
import io.stoker.agent.supervise.Scripts;
import io.stoker.common.json.Json;
import io.stoker.common.message.ToAgent.Given;
import io.stoker.common.security.OwnFiles;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/** One folder a run, under the data folder: what the job is given, and what it leaves. */
public final class RunFolders implements AutoCloseable {
  static final String STDOUT = "stdout";
  static final String STDERR = "stderr";
  static final String PARAMS = "params.json";
  static final String GROUP = "group.json";
  static final String SCRATCH = "work";
  static final String STATE = StateFile.NAME;
  static final String UNCLAIMED = StateFile.UNCLAIMED;

  private static final Logger LOG = Logger.getLogger(RunFolders.class);
  private static final String OWED = "owed";
  private static final String RANK = "rank";

  /** What ended runs left, if it is kept. */
  private static final String ASIDE = "ended";

  private final Path runs;
  private final Path aside;
  private final SpareFolders spares;
  private final GoneFolders gone;
  private final Path noParams;
  private final Path noDependencies;

  /**
   * @param data the agent's data folder, absolute
   * @param users who pass to the runs, and nowhere else
   */
  public RunFolders(Path data, RunUsers users) throws IOException {
    this.runs = Files.createDirectories(data.resolve("runs"));
    this.aside = Files.createDirectories(aside(data));
    Path shared = Files.createDirectories(data.resolve("shared"));
    for (Path passed : List.of(data, runs, shared)) {
      users.admit(passed);
    }
    for (Path other : OwnFiles.inside(data)) {
      if (Files.isDirectory(other, LinkOption.NOFOLLOW_LINKS)
          && !other.equals(runs)
          && !other.equals(shared)) {
        OwnFiles.folder(other);
      }
    }
    this.noParams = Scripts.write(shared.resolve("empty-object.json"), "{}\n");
    this.noDependencies = Scripts.write(shared.resolve("empty-array.json"), "[]\n");
    this.spares = new SpareFolders(data, noParams);
    this.gone = new GoneFolders(data);
  }

  Path folder(RunKey key) {
    return runs.resolve(key.toString());
  }

  Path stdout(RunKey key) {
    return folder(key).resolve(STDOUT);
  }

  Path stderr(RunKey key) {
    return folder(key).resolve(STDERR);
  }

  Path state(RunKey key) {
    return folder(key).resolve(STATE);
  }

  Path result(RunKey key) {
    return folder(key).resolve("result.json");
  }

  /** By which a staged process is told things. */
  Path input(RunKey key) {
    return folder(key).resolve("input");
  }

  Path scratch(RunKey key) {
    return folder(key).resolve(SCRATCH);
  }

  /** Makes the folder of a run afresh, with the files that its job reads. */
  synchronized RunFiles create(RunSpec spec) throws IOException {
    RunKey key = spec.key();
    Path folder = folder(key);
    Optional<Set<String>> spare = spareAt(folder);
    if (spare.isEmpty()) {
      remove(key);
      Files.createDirectory(folder, OwnFiles.ofFolder(folder));
      Files.createFile(folder.resolve(UNCLAIMED));
    }
    Set<String> names = spare.orElse(Set.of());
    if (spec.program().workdir().isEmpty() && !names.contains(SCRATCH)) {
      Files.createDirectory(scratch(key), OwnFiles.ofFolder(folder));
    }
    return files(spec, names);
  }

  /**
   * Files of a run cannot be written: it is for others to run, and what it left goes, which may be
   * what fills the disk.
   *
   * @return what to say of it
   */
  String unwritten(RunKey key, IOException why, Consumer<Input> inputs) {
    String sentence = "its run folder cannot be made: " + why.getMessage();
    delete(folder(key).toFile());
    inputs.accept(new Input.PartJudged(Part.DISK, Optional.of(sentence)));
    return sentence;
  }

  /** There is next to never anything in its place: that is looked for where a move fails. */
  private Optional<Set<String>> spareAt(Path folder) throws IOException {
    try {
      return spares.take(folder);
    } catch (FileSystemException e) {
      delete(folder.toFile());
      return spares.take(folder);
    }
  }

  /** The same for another process of the same attempt: what it writes comes after the other's. */
  RunFiles again(RunSpec spec, int starts) throws IOException {
    RunKey key = spec.key();
    if (!retire(key, starts)) {
      Files.deleteIfExists(state(key)); // it says that no spawner may have it
    }
    Files.deleteIfExists(folder(key).resolve(StateFile.GIVEN_UP));
    folder(key).resolve(UNCLAIMED).toFile().createNewFile();
    return files(spec, Set.of());
  }

  /**
   * Puts the state of the process before this one aside.
   *
   * @return whether that was still to be done: then none of this one has begun
   */
  boolean retire(RunKey key, int starts) throws IOException {
    Path before = folder(key).resolve("state." + (starts - 1));
    if (Files.exists(before)) {
      return false;
    }
    try {
      Files.move(state(key), before);
    } catch (NoSuchFileException e) {
      Files.createDirectories(folder(key));
      Files.createFile(before);
    }
    return true;
  }

  /**
   * Writes what the job is given.
   *
   * @param names of what another job's run has left in the folder
   */
  private RunFiles files(RunSpec spec, Set<String> names) throws IOException {
    RunKey key = spec.key();
    Path folder = folder(key);
    Given given = spec.given();
    if (spec.gang().isPresent()) {
      write(folder.resolve(RANK), spec.gang().get().rank());
    }
    boolean params = !given.params().isMissingNode();
    var dependencies = given.dependencies();
    if (!params && names.contains(PARAMS)) {
      Files.delete(folder.resolve(PARAMS));
    }
    if (given.group().isEmpty() && names.contains(GROUP)) {
      Files.delete(folder.resolve(GROUP));
    }
    return new RunFiles(
        params ? write(folder.resolve(PARAMS), given.params()) : noParams,
        result(key),
        dependencies.isEmpty()
            ? noDependencies
            : write(folder.resolve("dependencies.json"), dependencies),
        given.group().isEmpty()
            ? noParams
            : write(folder.resolve(GROUP), Map.of("name", given.group().get())));
  }

  /** Over what is there: see {@link SpareFolders}. */
  private static Path write(Path file, Object value) throws IOException {
    ByteBuffer text = ByteBuffer.wrap(Json.bytes(value));
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      while (text.hasRemaining()) {
        out.write(text);
      }
      out.truncate(text.limit());
    }
    return file;
  }

  /**
   * Takes a run from the spawners, so that none can start it.
   *
   * @return whether none had taken it before
   */
  boolean revoke(RunKey key) throws IOException {
    Path folder = Files.createDirectories(folder(key));
    Optional<StateFile> taken = StateFile.claim(folder);
    if (taken.isEmpty()) {
      taken = StateFile.create(folder);
    }
    if (taken.isPresent()) {
      note(taken.get());
    }
    return taken.isPresent();
  }

  /** For the next agent, which would find out by itself: on a full disk this may fail. */
  private static void note(StateFile taken) {
    try {
      taken.line("refused revoked by the agent");
    } catch (IOException e) {
      LOG.debug("that a run was revoked is not noted", e);
    }
  }

  /** Keeps a spawner that has taken a run, and only stands still, from beginning it later. */
  void giveUp(RunKey key) throws IOException {
    folder(key).resolve(StateFile.GIVEN_UP).toFile().createNewFile();
  }

  /** Adds the second line to a state file whose spawner cannot. */
  void writeExitCode(RunKey key, int exitCode) throws IOException {
    Files.writeString(state(key), exitCode + "\n", StandardOpenOption.APPEND);
  }

  /**
   * Notes that the broker does not have all that an ended run wrote, which nobody else knows of.
   */
  void owe(RunKey key, String request) throws IOException {
    if (folder(key).toFile().isDirectory()) {
      Files.writeString(folder(key).resolve(OWED), request + "\n");
    }
  }

  /** Whose output the broker may not have all of, if that was noted. */
  Optional<String> owed(String name) throws IOException {
    try {
      String text = Files.readString(runs.resolve(name).resolve(OWED), StandardCharsets.ISO_8859_1);
      return text.endsWith("\n") ? Optional.of(text.strip()) : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Which member of its gang a run is, if it is one. */
  Optional<Integer> rank(RunKey key) throws IOException {
    try {
      String text = Files.readString(folder(key).resolve(RANK), StandardCharsets.ISO_8859_1);
      return text.matches("\\d{1,9}") ? Optional.of(Integer.valueOf(text)) : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Names of the runs on disk. */
  public List<String> names() throws IOException {
    try (Stream<Path> found = Files.list(runs)) {
      return found.map(path -> path.getFileName().toString()).toList();
    }
  }

  /** Deletes what a run left that has ended with all its processes: its folder may serve again. */
  synchronized void recycle(RunKey key) throws IOException {
    if (!spares.keep(folder(key))) {
      remove(key);
    }
  }

  /** The folder of a run, by its name. */
  public static Path of(Path data, String name) {
    return data.resolve("runs").resolve(name);
  }

  /** Where folders of ended runs are kept; their times of modification tell since when. */
  public static Path aside(Path data) {
    return data.resolve(ASIDE);
  }

  /** The two outputs of a run's folder, whether they are there or not. */
  public static Stream<File> outputs(Path folder) {
    return Stream.of(folder.resolve(STDOUT).toFile(), folder.resolve(STDERR).toFile());
  }

  /** Keeps what a run left, out of the way of others. */
  void putAside(RunKey key) throws IOException {
    Path target = aside.resolve(key.toString());
    Files.deleteIfExists(folder(key).resolve(OWED));
    delete(target.toFile());
    try {
      Files.move(folder(key), target, StandardCopyOption.ATOMIC_MOVE);
      Files.setLastModifiedTime(target, FileTime.fromMillis(System.currentTimeMillis()));
    } catch (NoSuchFileException e) {
      // It left nothing, or that is gone already.
    }
  }

  /** Deletes what a run left; nothing of it is in the way of others when this returns. */
  void remove(RunKey key) throws IOException {
    remove(key.toString());
  }

  void remove(String name) throws IOException {
    gone.take(runs.resolve(name));
  }

  /**
   * Deletes the folder of a run, or whatever is in its place. By {@link File}: it costs one call of
   * the kernel a file, where {@link Files} costs several. Folders in it may be another user's.
   */
  public static boolean delete(File file) {
    if (file.delete()) { // a link too, whatever it leads to
      return true;
    }
    boolean all = true;
    try (DirectoryStream<Path> inside = Files.newDirectoryStream(file.toPath())) {
      for (Path path : inside) {
        File one = path.toFile();
        all &= one.delete() || JobsFolder.empty(path) && one.delete() || !one.exists();
      }
    } catch (IOException | DirectoryIteratorException e) {
      return !file.exists();
    }
    return all && (file.delete() || !file.exists());
  }

  /** What is being deleted the next agent deletes. */
  @Override
  public void close() {
    gone.close();
  }
}
