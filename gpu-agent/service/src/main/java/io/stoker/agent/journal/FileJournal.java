package io.stoker.agent.journal;

import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.loop.Journal;
import io.stoker.agent.loop.JournalException;
import io.stoker.agent.spawn.Room;
import io.stoker.common.security.OwnFiles;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * The agent's memory on disk: one append-only file, and the id it was born with.
 *
 * <p>An append survives the death of the agent, since the kernel has it; only {@link #sync} makes
 * it survive the death of the machine. A torn end is cut off; after the death of the machine, all
 * that follows its first hole, since what was synced has none. Else a journal with a hole, without
 * its end or without its id is put aside and begun afresh under a new id, which tells the
 * dispatcher that it was lost.
 *
 * <p>{@link #append} and {@link #compactIfLarge} belong to one thread; {@link #sync} may be called
 * from another.
 */
public final class FileJournal implements Journal, AutoCloseable {
  /** Holds its id. */
  static final String ID = "id";

  /** Says how far it has come. */
  static final String END = "end";

  private static final Logger LOG = Logger.getLogger(FileJournal.class);
  private static final long COMPACT_AT = 16 * 1024 * 1024;
  private static final int COMPACT_FACTOR = 4;

  /** Set aside beyond its end: on a disk that is full so much more can be journaled. */
  private static final long AHEAD = 1024 * 1024;

  /** Bytes that are written at once where the whole is written anew. */
  private static final int BUFFER = 64 * 1024;

  /** About what an entry takes. */
  private static final int LINE = 512;

  private final Path folder;
  private final String id;
  private final List<JournalEntry> found;
  private final FileChannel lockFile;
  private final JournalEnd end;
  private volatile FileChannel log;
  private long size;
  private long sizeAtLeast = COMPACT_AT;

  /** Up to where it has room. */
  private long room;

  /** Whether more lies behind {@link #size} than it holds: what could not be written whole. */
  private boolean torn;

  /** Whether a power cut may bring back the file whose place {@link #log} took. */
  private boolean unnamed;

  private FileJournal(Path folder, FileChannel lockFile) throws IOException {
    this.folder = folder;
    this.lockFile = lockFile;
    JournalFile file = JournalFile.read(logPath());
    Optional<String> lost = lost(file);
    if (lost.isPresent()) {
      LOG.warnf("the journal in %s is not believed, and begun afresh: %s", folder, lost.get());
      putAside();
      file = JournalFile.read(logPath());
    }
    this.found = file.entries();
    this.id = readOrCreateId();
    this.log = openLog(logPath());
    forceFolder(); // else what is synced has no name after a power cut
    this.size = file.wholeBytes();
    log.truncate(size);
    this.end = new JournalEnd(folder.resolve(END), id, file.lastAt());
    setAside();
  }

  /** Why what is there cannot be all that was written, if so. */
  private Optional<String> lost(JournalFile file) throws IOException {
    boolean logged = Files.exists(logPath());
    Optional<String> known = readId();
    Optional<JournalEnd.Said> said = JournalEnd.read(folder.resolve(END));
    if (known.isEmpty()) {
      return logged ? Optional.of("its id is gone") : Optional.empty();
    }
    if (!logged) {
      return Optional.of("its entries are gone");
    }
    boolean diedWithItsMachine = said.isPresent() && said.get().beforeThisBoot();
    if (file.damaged() && !diedWithItsMachine) {
      return Optional.of("entries in its middle are not as they were written");
    }
    if (said.filter(one -> !one.id().equals(known.get())).isPresent()) {
      return Optional.of("its id is not as it was");
    }
    return said.isPresent() && said.get().cut(file.wholeBytes())
        ? Optional.of(
            "%d bytes of it are whole, and %d have been"
                .formatted(file.wholeBytes(), said.get().whole()))
        : Optional.empty();
  }

  /**
   * Opens the journal of a folder, or begins one.
   *
   * @throws JournalException if the folder cannot be used, or another agent uses it
   */
  public static FileJournal open(Path folder) {
    try {
      OwnFiles.folder(folder);
      FileChannel lockFile =
          OwnFiles.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!DataFolder.locked(lockFile)) {
        lockFile.close();
        throw new IOException("another agent is using it");
      }
      return new FileJournal(folder, lockFile);
    } catch (IOException e) {
      throw new JournalException("journal " + folder + " cannot be opened", e);
    }
  }

  /** Tells this journal from any other, one begun in the same folder included. */
  public String id() {
    return id;
  }

  /** What it held when it was opened. */
  public List<JournalEntry> found() {
    return found;
  }

  /**
   * Writes entries, in order and in one go: all of them, or none.
   *
   * @throws JournalException if they cannot be written, e.g. since the disk is full
   */
  @Override
  public void append(List<JournalEntry> entries) {
    if (entries.isEmpty()) {
      return;
    }
    try {
      ByteArrayOutputStream all = new ByteArrayOutputStream(LINE * entries.size());
      entries.forEach(entry -> all.writeBytes(JournalLine.write(entry)));
      ByteBuffer lines = ByteBuffer.wrap(all.toByteArray());
      long before = size;
      int length = lines.remaining();
      cutOffTorn();
      torn = true;
      while (lines.hasRemaining()) {
        log.write(lines);
      }
      torn = false;
      size += length;
      end.whole(before);
      setAside();
    } catch (IOException e) {
      throw new JournalException("journal " + folder + " cannot be written: " + e.getMessage(), e);
    }
  }

  /** What follows a torn line would be taken for damage. */
  private void cutOffTorn() throws IOException {
    if (torn) {
      log.truncate(size);
      room = 0;
    }
  }

  private void setAside() {
    if (size + AHEAD / 2 > room && Room.ahead(logPath(), size, AHEAD)) {
      room = size + AHEAD;
    }
  }

  /** Bytes of its file; to be asked on the thread that appends. */
  public long size() {
    return size;
  }

  /**
   * Makes everything appended so far survive a power cut.
   *
   * @throws JournalException if it does not
   */
  @Override
  public void sync() {
    FileChannel current = log;
    try {
      try {
        current.force(false);
      } catch (ClosedChannelException e) {
        if (current == log) {
          throw new JournalException("journal " + folder + " is closed", e);
        }
        // Compacted meanwhile; the new file was forced whole before it took its place.
      }
      forceName();
    } catch (IOException e) {
      throw new JournalException(
          "journal " + folder + " cannot be forced to disk: " + e.getMessage(), e);
    }
  }

  private synchronized void forceName() throws IOException {
    if (unnamed) {
      forceFolder();
      unnamed = false;
    }
  }

  /**
   * Replaces the journal by what it adds up to, once it has grown large.
   *
   * @throws JournalException if the new file cannot be written; the old one stays as it was, and is
   *     tried again once it has grown further
   */
  @Override
  public void compactIfLarge(Supplier<List<JournalEntry>> snapshot) {
    if (size >= sizeAtLeast) {
      sizeAtLeast = size + COMPACT_AT;
      compact(snapshot.get());
    }
  }

  /**
   * Replaces the journal by what it adds up to, which is on the disk then.
   *
   * @throws JournalException if the new file cannot be written; the old one stays as it was. Or if
   *     it is written and its name cannot be forced to disk, which the next {@link #sync} does
   */
  @Override
  public void compact(List<JournalEntry> snapshot) {
    Path fresh = folder.resolve("log.new");
    try {
      FileChannel out = openLog(fresh);
      long written;
      try {
        out.truncate(0); // what an agent that died has left
        written = write(snapshot, out);
        end.unknown();
        synchronized (this) {
          Files.move(
              fresh,
              logPath(),
              StandardCopyOption.ATOMIC_MOVE,
              StandardCopyOption.REPLACE_EXISTING);
          unnamed = true;
        }
      } catch (Throwable e) {
        out.close();
        throw e;
      }
      // The old one has no name any more: whatever fails now, nothing may be written to it.
      try (FileChannel old = log) {
        log = out;
        size = written;
        end.whole(size);
        torn = false;
        room = 0;
        setAside();
        sizeAtLeast = Math.max(COMPACT_AT, written * COMPACT_FACTOR);
        forceName();
      }
    } catch (IOException e) {
      fresh.toFile().delete();
      throw new JournalException("journal " + folder + " cannot be compacted", e);
    }
  }

  /** Returns how many bytes they take, which are on the disk then. */
  private static long write(List<JournalEntry> entries, FileChannel out) throws IOException {
    OutputStream lines = new BufferedOutputStream(Channels.newOutputStream(out), BUFFER);
    for (JournalEntry entry : entries) {
      lines.write(JournalLine.write(entry));
    }
    lines.flush();
    out.force(false);
    return out.size();
  }

  private void putAside() throws IOException {
    Files.deleteIfExists(idPath());
    if (Files.exists(logPath())) {
      Files.move(logPath(), folder.resolve("damaged-" + UUID.randomUUID()));
    }
  }

  private Optional<String> readId() throws IOException {
    return Files.exists(idPath())
        ? Optional.of(new String(Files.readAllBytes(idPath()), StandardCharsets.ISO_8859_1).strip())
            .filter(known -> !known.isEmpty())
        : Optional.empty();
  }

  private String readOrCreateId() throws IOException {
    Optional<String> known = readId();
    if (known.isPresent()) {
      return known.get();
    }
    String fresh = UUID.randomUUID().toString();
    Path written = folder.resolve("id.new");
    try (FileChannel out =
        OwnFiles.open(
            written,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      out.write(ByteBuffer.wrap((fresh + "\n").getBytes(StandardCharsets.ISO_8859_1)));
      out.force(true);
    }
    Files.move(
        written, idPath(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    forceFolder();
    return fresh;
  }

  private void forceFolder() throws IOException {
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private static FileChannel openLog(Path file) throws IOException {
    return OwnFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private Path logPath() {
    return folder.resolve("log");
  }

  private Path idPath() {
    return folder.resolve(ID);
  }

  @Override
  public void close() {
    try (FileChannel lock = lockFile;
        JournalEnd ending = end;
        FileChannel closing = log) {
      closing.force(false);
    } catch (IOException e) {
      throw new JournalException("journal " + folder + " cannot be closed", e);
    }
  }
}
