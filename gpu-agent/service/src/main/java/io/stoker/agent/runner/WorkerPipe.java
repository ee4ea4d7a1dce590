package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.secret.Masks;
import io.stoker.agent.spawn.Pipes;
import io.stoker.common.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Talks to one worker by two named pipes, with a thread for each, so that no large job or result
 * delays another worker's. Both are open for reading and writing here, so opening waits for nobody,
 * and the worker's end is told in the pipe itself, behind all that it has said.
 */
final class WorkerPipe {
  private static final Logger LOG = Logger.getLogger(WorkerPipe.class);

  /** Ends the thread that writes. */
  private static final byte[] NO_MORE = new byte[0];

  private static final int BUFFER = 64 * 1024;

  /** About what a line takes. */
  private static final int LINE = 256;

  /** A line that a pipe of the usual size has room for, twice, if nothing is in it. */
  private static final int AT_ONCE = 16 * 1024;

  /** Of a pipe: a write begins another one where it does not fit into what is left of the last. */
  private static final int PAGE = 4 * 1024;

  private static final int MOST_LOST = 4;

  private final WorkerKey key;
  private final RandomAccessFile out;
  private final FileChannel in;

  /** Tells what of {@link #in} the worker has not read yet. */
  private final FileInputStream unread;

  /** Bytes that may stand in {@link #in} without anybody's having to wait. */
  private final int atOnce;

  private final byte[] last =
      ("#stoker:over " + UUID.randomUUID() + "\n").getBytes(StandardCharsets.US_ASCII);
  private final LinkedBlockingQueue<byte[]> unsaid = new LinkedBlockingQueue<>();
  private final SaidByRun said;
  private final WorkerLines lines;
  private final AtomicInteger queued = new AtomicInteger();
  private volatile Runnable over = () -> {};

  private WorkerPipe(
      WorkerKey key,
      RandomAccessFile out,
      RandomAccessFile in,
      int atOnce,
      Masks masks,
      Inputs inputs)
      throws IOException {
    this.key = key;
    this.atOnce = atOnce;
    this.out = out;
    // A channel's close ends a write that waits for a worker which never reads.
    this.in = in.getChannel();
    this.unread = new FileInputStream(in.getFD());
    String end = new String(last, StandardCharsets.US_ASCII).strip();
    this.said = new SaidByRun(inputs);
    this.lines = new WorkerLines(key, said, masks, end);
  }

  /** Makes the pipes in a run's folder, before its process is started. */
  static WorkerPipe open(WorkerKey key, RunFolders folders, Masks masks, Inputs inputs)
      throws IOException {
    RandomAccessFile out = new RandomAccessFile(pipe(folders.stdout(key)), "rw");
    WorkerPipe pipe;
    try {
      RandomAccessFile in = new RandomAccessFile(pipe(folders.input(key)), "rw");
      int atOnce = atOnce(Pipes.capacity(folders.input(key)));
      pipe = new WorkerPipe(key, out, in, atOnce, masks, inputs);
    } catch (IOException e) {
      out.close(); // a host that is short of them tries again and again
      throw e;
    }
    Thread.ofPlatform().daemon().name("reads " + key).start(pipe::read);
    Thread.ofPlatform().daemon().name("writes " + key).start(pipe::write);
    return pipe;
  }

  /**
   * How much may stand in a pipe so that what is written fits in certainly. Of a page whose
   * beginning was read the rest is lost, and up to half of each other one.
   *
   * @param capacity of the pipe, bytes: less than usual where the agent's user has many of them
   */
  static int atOnce(int capacity) {
    return Math.clamp((capacity - PAGE) / MOST_LOST, 0, AT_ONCE);
  }

  private static File pipe(Path path) throws IOException {
    File at = path.toFile();
    if (at.exists() && !at.delete()) {
      throw new IOException(at + " cannot be deleted");
    }
    Pipes.make(at.toPath());
    return at;
  }

  /** Has lines written, behind those before them. */
  void tell(List<JsonNode> more) {
    ByteArrayOutputStream all = new ByteArrayOutputStream(LINE * more.size());
    for (JsonNode line : more) {
      all.writeBytes(Json.bytes(line));
      all.write('\n');
      if (line.path("do").asText().equals("job")) {
        lines.told(line.path("n").longValue());
      }
    }
    if (queued.get() == 0 && hasRoom(all.size())) {
      say(all.toByteArray());
    } else {
      queued.incrementAndGet();
      unsaid.add(all.toByteArray());
    }
  }

  /**
   * Whether nobody has to wait who writes so much. What the worker has answered does not tell: one
   * that is broken may answer what it has not read.
   */
  private boolean hasRoom(int bytes) {
    try {
      return unread.available() + bytes <= atOnce;
    } catch (IOException e) {
      LOG.debugf(e, "worker %s is gone", key);
      return false;
    }
  }

  private void say(byte[] line) {
    try {
      ByteBuffer left = ByteBuffer.wrap(line);
      while (left.hasRemaining()) {
        in.write(left);
      }
    } catch (ClosedChannelException e) {
      LOG.debugf(e, "worker %s is gone", key);
    } catch (IOException e) {
      LOG.errorf(e, "worker %s cannot be told anything any more", key);
    }
  }

  /**
   * The process is gone.
   *
   * @param told run when everything that it has said was handed on
   */
  void end(Runnable told) {
    over = told;
    unsaid.add(NO_MORE);
    try {
      in.close();
    } catch (IOException e) {
      LOG.debugf(e, "worker %s is gone", key);
    }
    Thread.ofPlatform().daemon().name("ends " + key).start(this::sayOver);
  }

  /**
   * It may have to wait for room in the pipe, but no longer than the reader has something to do.
   */
  private void sayOver() {
    try {
      out.write('\n');
      out.write(last);
    } catch (IOException e) {
      LOG.errorf(e, "the end of worker %s cannot be told", key);
    }
  }

  private void read() {
    byte[] buffer = new byte[BUFFER];
    try (RandomAccessFile reading = out) {
      while (!lines.over()) {
        said.awaitRoom(); // until then the worker waits at its pipe
        int length = reading.read(buffer);
        lines.accept(buffer, length);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.errorf(e, "worker %s cannot be heard any more", key);
    }
    over.run();
  }

  private void write() {
    try {
      for (byte[] line = unsaid.take(); line != NO_MORE; line = unsaid.take()) {
        say(line);
        queued.decrementAndGet();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
