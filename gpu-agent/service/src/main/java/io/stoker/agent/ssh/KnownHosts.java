package io.stoker.agent.ssh;

import io.stoker.agent.ssh.LinkSettings.UnknownHosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.sshd.client.config.hosts.KnownHostEntry;
import org.apache.sshd.client.config.hosts.KnownHostHashValue;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.PublicKeyEntryResolver;

/**
 * Judges host keys by a file in OpenSSH's format, read afresh each time. A key that differs from
 * the known one of its type is refused whatever the policy is.
 */
record KnownHosts(Path file, UnknownHosts unknown) {
  private static final String REVOKED = "revoked";

  private record Known(int line, String marker, PublicKey key) {}

  /** Types of the keys that are known of a host, as SSH names them. */
  List<String> types(String host, int port) throws IOException {
    return of(host, port).stream()
        .filter(known -> known.marker().isEmpty())
        .map(known -> KeyUtils.getKeyType(known.key()))
        .distinct()
        .toList();
  }

  /** Judges a key that a host shows. Returns why it is refused; empty if it is the right one. */
  synchronized Optional<String> judge(String host, int port, PublicKey key) throws IOException {
    String name = KnownHostHashValue.createHostPattern(host, port);
    String shown = KeyUtils.getKeyType(key) + " " + KeyUtils.getFingerPrint(key);
    List<Known> known = of(host, port);
    for (Known one : known) {
      if (one.marker().equals(REVOKED) && KeyUtils.compareKeys(one.key(), key)) {
        return Optional.of(
            "the host key of %s (%s) is revoked by %s line %d"
                .formatted(name, shown, file, one.line()));
      }
    }
    List<Known> valid = known.stream().filter(one -> one.marker().isEmpty()).toList();
    if (valid.stream().anyMatch(one -> KeyUtils.compareKeys(one.key(), key))) {
      return Optional.empty();
    }
    if (!valid.isEmpty()) {
      Known before = valid.getFirst();
      return Optional.of(
          ("the host key of %s has CHANGED: it shows %s, and %s line %d has %s %s. Somebody may be in"
                  + " between. If the change is right, remove that line")
              .formatted(
                  name,
                  shown,
                  file,
                  before.line(),
                  KeyUtils.getKeyType(before.key()),
                  KeyUtils.getFingerPrint(before.key())));
    }
    if (unknown == UnknownHosts.STRICT) {
      return Optional.of(
          ("the host key of %s (%s) is not in %s: add it there if it is right, as by ssh-keyscan, or"
                  + " set unknown-hosts to accept-new")
              .formatted(name, shown, file));
    }
    add(name, key);
    return Optional.empty();
  }

  private void add(String name, PublicKey key) throws IOException {
    if (file.getParent() != null) {
      Files.createDirectories(file.getParent());
    }
    Files.writeString(
        file,
        (cut() ? "\n" : "") + name + " " + PublicKeyEntry.toString(key) + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** Whether its last line was not written whole: what follows must not become a part of it. */
  private boolean cut() throws IOException {
    try {
      String text = Files.readString(file);
      return !text.isEmpty() && !text.endsWith("\n");
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private List<Known> of(String host, int port) throws IOException {
    List<Known> found = new ArrayList<>();
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      return found;
    }
    for (int i = 0; i < lines.size(); i++) {
      Optional<KnownHostEntry> entry = entry(lines.get(i));
      if (entry.isPresent() && entry.get().isHostMatch(host, port)) {
        int line = i + 1;
        key(entry.get())
            .ifPresent(
                key ->
                    found.add(
                        new Known(
                            line, Optional.ofNullable(entry.get().getMarker()).orElse(""), key)));
      }
    }
    return found;
  }

  /** Lines that nobody understands say nothing, as with OpenSSH. */
  private static Optional<KnownHostEntry> entry(String line) {
    String text = line.strip();
    if (text.isEmpty() || text.startsWith("#")) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(KnownHostEntry.parseKnownHostEntry(text));
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<PublicKey> key(KnownHostEntry entry) throws IOException {
    try {
      return Optional.ofNullable(
          entry.getKeyEntry().resolvePublicKey(null, PublicKeyEntryResolver.IGNORING));
    } catch (GeneralSecurityException e) {
      return Optional.empty();
    }
  }
}
