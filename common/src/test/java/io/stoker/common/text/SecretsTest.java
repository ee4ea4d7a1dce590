package io.stoker.common.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecretsTest {
  @ParameterizedTest
  @CsvSource({
    "HF_TOKEN, x, true",
    "AWS_SECRET_ACCESS_KEY, x, true",
    "db-password, x, true",
    "WANDB_API_KEY, x, true",
    "APIKEY, x, true",
    "PGPASSWORD, x, true",
    "DATABASE_URL, postgresql://ann:pw@db/x, true",
    "DATABASE_URL, postgresql://db/x, false",
    "EPOCHS, 3, false",
    "MONKEY, 3, false",
    "MAX_TOKENS, 512, false",
    "TOKENIZERS_PARALLELISM, true, false",
    "PWD, /srv, false",
    "SEED, 7, false",
  })
  void whatLooksSecretIsHidden(String name, String value, boolean secret) {
    assertThat(Secrets.shown(name, value)).isEqualTo(secret ? "(hidden)" : value);
  }
}
