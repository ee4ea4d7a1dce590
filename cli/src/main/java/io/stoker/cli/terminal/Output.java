package io.stoker.cli.terminal;

import io.stoker.cli.outcome.ExitCode;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * Standard output, of which is known at the end whether all of it was written: the streams above it
 * keep what went wrong to themselves.
 */
public final class Output {
  /** As shells have it of a program that wrote to a pipe that nobody reads any more. */
  private static final int NOBODY_READS = 141;

  private static final int BUFFER = 8192;

  private final OutputStream to;
  private IOException failure;

  Output(OutputStream to) {
    this.to = to;
  }

  /** Becomes the standard output of this process. */
  public static Output install() {
    Output output = new Output(new FileOutputStream(FileDescriptor.out));
    Charset charset = Charset.forName(System.getProperty("stdout.encoding", "UTF-8"));
    System.setOut(new PrintStream(output.stream(), false, charset));
    return output;
  }

  OutputStream stream() {
    return new BufferedOutputStream(new Noticed(), BUFFER);
  }

  /**
   * Writes what is left.
   *
   * @param exitCode of the command, had it nothing to write
   * @return that; or what tells that its output did not get through. Somebody who reads no further,
   *     such as {@code head}, knows that, and is told nothing
   */
  public int finish(PrintStream out, PrintStream err, int exitCode) {
    out.flush();
    if (failure == null) {
      return exitCode;
    }
    if (String.valueOf(failure.getMessage()).contains("Broken pipe")) {
      return exitCode == ExitCode.DONE ? NOBODY_READS : exitCode;
    }
    err.println("stoker: the output could not be written: " + failure.getMessage());
    return exitCode == ExitCode.DONE ? ExitCode.FAILED : exitCode;
  }

  private final class Noticed extends OutputStream {
    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      try {
        to.write(bytes, from, length);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }
}
