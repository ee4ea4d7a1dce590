package io.stoker.dispatcher.service.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.StartupEvent;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.security.AccessTokens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenBookTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    // address, stoker.http.open, with a file, whether nobody is asked
    "127.0.0.1, false, false, true",
    "localhost, false, false, true",
    "::1,       false, false, true",
    "0.0.0.0,   false, false, false",
    "10.0.0.7,  false, false, false",
    "0.0.0.0,   true,  false, true",
    "127.0.0.1, false, true,  false",
    "127.0.0.1, true,  true,  false",
  })
  void isOpen_ofAnAddress_isSo(String host, boolean open, boolean withFile, boolean expected) {
    Optional<Path> file = withFile ? Optional.of(folder.resolve("tokens")) : Optional.empty();

    assertThat(new TokenBook(file, open, host).isOpen()).isEqualTo(expected);
  }

  @Test
  void start_onAllAddressesWithoutAFile_takesNoTokenButTheOneThatItMade() throws Exception {
    TokenBook book = new TokenBook(Optional.empty(), false, "0.0.0.0");
    book.start(new StartupEvent());

    assertThat(book.login("stk_any", "10.0.0.1")).isInstanceOf(Login.Unknown.class);
    assertThat(book.secret()).isPresent();
  }

  @Test
  void start_withAFileThatIsWrong_fails() throws IOException {
    Path file = Files.writeString(folder.resolve("tokens"), "[]");
    TokenBook book = new TokenBook(Optional.of(file), false, "127.0.0.1");

    assertThatThrownBy(() -> book.start(new StartupEvent()))
        .isInstanceOf(MalformedJson.class)
        .hasMessageContaining("stoker.http.tokens-file: " + file);
  }

  @Test
  void login_afterTheFileIsGone_isRefused() throws Exception {
    Path file = folder.resolve("tokens");
    AccessTokens none = AccessTokens.none();
    String token = "stk_x";
    Files.write(
        file,
        Json.bytes(
            none.with(
                new AccessTokens.Token(
                    "ann", "read", null, AccessTokens.hash(token), "2026-01-31T12:00:00Z", null))));
    TokenBook book = new TokenBook(Optional.of(file), false, "127.0.0.1");
    book.start(new StartupEvent());

    assertThat(book.login(token, "a")).isInstanceOf(Login.Taken.class);
    Files.delete(file);
    assertThat(book.login(token, "a")).isInstanceOf(Login.Unknown.class);
  }
}
