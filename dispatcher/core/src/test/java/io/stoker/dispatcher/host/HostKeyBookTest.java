package io.stoker.dispatcher.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.HostKey;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Which keys of a host are taken, and by which one it is told things. */
class HostKeyBookTest {
  private static final HostKey USED = HostKey.NONE.welcomed(true);
  private static final long NOW = 1_000;
  private static final long OVER = 2_000;

  private final HostSecret secret = new HostSecret(new byte[] {1, 2, 3});
  private final HostKeyBook book = new HostKeyBook();

  @Test
  void signer_beforeAnyRotation_isTheFirstKeyAndNoOtherHosts() {
    assertThat(signer("h1", 0)).hasValue(0);
    assertThat(secret.signer("h2", book.taken("h2"), key -> isKey(key, "h1", 0))).isEmpty();
  }

  @Test
  void signer_ofRotatedKeyWhileBothAreTaken_isEither() {
    read(USED.rotated(1, OVER), NOW);

    assertThat(signer("h1", 0)).hasValue(0);
    assertThat(signer("h1", 1)).hasValue(1);
  }

  @Test
  void signer_ofRotatedKeyOnceTheOverlapIsOver_isTheNewOneAlone() {
    read(USED.rotated(1, OVER), OVER);

    assertThat(signer("h1", 0)).isEmpty();
    assertThat(signer("h1", 1)).hasValue(1);
  }

  @Test
  void signer_ofRevokedKey_isTheNextOneAlone() {
    read(USED.revoked(0), NOW);

    assertThat(signer("h1", 0)).isEmpty();
    assertThat(signer("h1", 1)).hasValue(1);
    assertThat(secret.signer("h2", book.taken("h2"), key -> isKey(key, "h2", 0))).hasValue(0);
  }

  @Test
  void signer_ofTheNextKeyBeforeItIsKnownToBeRotated_isTaken() {
    assertThat(signer("h1", 1)).hasValue(1);
    assertThat(signer("h1", 3)).isEmpty();
  }

  @Test
  void rotated_asTheSameMessageAgain_changesNothing() {
    HostKey once = USED.rotated(1, OVER);

    assertThat(once.rotated(1, OVER + 1)).isEqualTo(once);
    assertThat(USED.rotated(2, OVER)).isEqualTo(USED);
  }

  @Test
  void revoked_ofTheKeyBeforeWhileBothAreTaken_leavesTheNewOne() {
    HostKey rotated = USED.rotated(1, OVER);

    assertThat(rotated.revoked(0).generation()).isEqualTo(1);
    assertThat(rotated.revoked(0).oldest(NOW)).isEqualTo(1);
    assertThat(rotated.revoked(0).revoked(0)).isEqualTo(rotated.revoked(0));
    assertThat(rotated.revoked(1).oldest(NOW)).isEqualTo(2);
  }

  @Test
  void revoked_keepsWhetherTheHostIsHeld() {
    HostKey held = USED.heldFor("why").revoked(0);

    assertThat(held.held()).isEqualTo("why");
    assertThat(held.used()).isTrue();
  }

  @Test
  void telling_whileTheAgentHasTheKeyBefore_isThatOneUntilItIsRevoked() {
    book.heard("h1", 0);
    read(USED.rotated(1, OVER), NOW);
    assertThat(book.telling("h1")).isZero();

    read(USED.rotated(1, OVER).revoked(0), NOW);
    assertThat(book.telling("h1")).isEqualTo(1);
  }

  @Test
  void telling_onceTheNewKeyWasHeard_neverGoesBack() {
    read(USED.rotated(1, OVER), NOW);
    book.heard("h1", 1);
    book.heard("h1", 0);

    assertThat(book.telling("h1")).isEqualTo(1);
  }

  @Test
  void telling_aHostThatWasNotHeardOf_isUnderTheNewestKey() {
    read(USED.rotated(1, OVER), NOW);

    assertThat(book.telling("h1")).isEqualTo(1);
  }

  @Test
  void isKeyed_asTheDatabaseHasItOrAsHeard_isSo() {
    assertThat(book.isKeyed("h1")).isFalse();
    read(USED, NOW);
    assertThat(book.isKeyed("h1")).isTrue();
    book.heard("h2", 0);
    assertThat(book.isKeyed("h2")).isTrue();
  }

  private void read(HostKey key, long now) {
    book.read(Map.of("h1", key), now);
  }

  private OptionalInt signer(String host, int generation) {
    return secret.signer(host, book.taken(host), key -> isKey(key, host, generation));
  }

  private boolean isKey(byte[] key, String host, int generation) {
    return Arrays.equals(key, secret.key(host, generation));
  }
}
