package io.stoker.dispatcher.service.rest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A port that leads to another one of this machine, and keeps what goes each way. What a page was
 * loaded from may answer first under its name: the next connection then leads elsewhere, as with a
 * name that is rebound.
 */
final class RecordingWire implements AutoCloseable {
  private final ServerSocket server;
  private final int to;
  private final AtomicReference<String> firstPage;
  private final List<ByteArrayOutputStream> asked = new CopyOnWriteArrayList<>();
  private final List<ByteArrayOutputStream> answered = new CopyOnWriteArrayList<>();

  /**
   * @param firstPage what the first connection is answered with; null for none
   */
  RecordingWire(int to, String firstPage) throws IOException {
    this.to = to;
    this.firstPage = new AtomicReference<>(firstPage);
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** All that callers have sent. */
  String asked() {
    return text(asked);
  }

  /** All that they were answered. */
  String answered() {
    return text(answered);
  }

  private static String text(List<ByteArrayOutputStream> all) {
    return String.join(
        "\n", all.stream().map(one -> one.toString(StandardCharsets.ISO_8859_1)).toList());
  }

  private void accept() {
    try {
      while (true) {
        Socket caller = server.accept();
        Thread.ofVirtual().start(() -> serve(caller));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(Socket caller) {
    try {
      // A browser keeps spare connections, on which it asks for nothing yet.
      PushbackInputStream in = new PushbackInputStream(caller.getInputStream());
      int begun = in.read();
      if (begun < 0) {
        caller.close();
        return;
      }
      in.unread(begun);
      String page = firstPage.getAndSet(null);
      if (page == null) {
        lead(caller, in);
      } else {
        answer(caller, in, page);
      }
    } catch (IOException e) {
      // The browser has closed.
    }
  }

  private static void answer(Socket caller, InputStream in, String text) throws IOException {
    try (caller) {
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        int next = in.read();
        if (next < 0) {
          return;
        }
        head.append((char) next);
      }
      byte[] page = text.getBytes(StandardCharsets.UTF_8);
      String answer =
          "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: "
              + page.length
              + "\r\n\r\n";
      caller.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
      caller.getOutputStream().write(page);
    }
  }

  private void lead(Socket caller, InputStream in) throws IOException {
    Socket target = new Socket(InetAddress.getLoopbackAddress(), to);
    ByteArrayOutputStream there = new ByteArrayOutputStream();
    ByteArrayOutputStream back = new ByteArrayOutputStream();
    asked.add(there);
    answered.add(back);
    InputStream answer = target.getInputStream();
    Thread.ofVirtual().start(() -> pump(in, target, there));
    Thread.ofVirtual().start(() -> pump(answer, caller, back));
  }

  private static void pump(InputStream from, Socket to, ByteArrayOutputStream copy) {
    try (from;
        to) {
      OutputStream out = to.getOutputStream();
      byte[] some = new byte[8192];
      for (int n = from.read(some); n >= 0; n = from.read(some)) {
        copy.write(some, 0, n);
        out.write(some, 0, n);
        out.flush();
      }
    } catch (IOException e) {
      // The other end has closed.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
