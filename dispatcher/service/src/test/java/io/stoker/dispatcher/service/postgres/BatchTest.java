package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.dispatcher.ledger.Rows.Change;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which columns a statement names. That what it leaves out stays is the database's. */
class BatchTest {
  private record Pet(String name, String kind, Integer age, String owner, List<String> toys) {}

  private static final Batch<Pet> PETS =
      new Batch<Pet>("pet")
          .key("name", "text", Pet::name)
          .column("kind", "text", Pet::kind)
          .column("age", "integer", Pet::age)
          .column("owner", "text", Pet::owner)
          .column("toys", "text", Pet::toys, toys -> String.join(" ", toys))
          .later("owner, toys")
          .together("age")
          .together("age, toys");

  private static final Pet STRAY = new Pet("Mia", "cat", 1, null, null);
  private static final Pet OLDER = new Pet("Mia", "cat", 2, null, null);
  private static final Pet HAPPY = new Pet("Mia", "cat", 2, null, List.of("ball", "bell"));
  private static final Pet OWNED = new Pet("Rex", "dog", 3, "Ada", null);

  private static Change<Pet> change(Pet before, Pet after) {
    return new Change<>(before, after);
  }

  @Test
  void insert_noRowHasWhatComesLater_leavesItOut() {
    Write write = PETS.insert(List.of(STRAY), "");

    assertThat(write.parameters()).containsOnlyKeys("ins_pet_name", "ins_pet_kind", "ins_pet_age");
    assertThat(write.sql()).contains("into pet (name, kind, age)");
  }

  @Test
  void insert_oneRowHasSomeOfIt_namesAll() {
    Write write = PETS.insert(List.of(STRAY, OWNED), "");

    assertThat(write.parameters().get("ins_pet_owner")).containsExactly(null, "Ada");
    assertThat(write.sql()).contains("into pet (name, kind, age, owner, toys)");
  }

  @Test
  void change_ofOneColumn_writesThatAlone() {
    Write write = PETS.change(List.of(change(STRAY, OLDER)));

    assertThat(write.parameters()).containsOnlyKeys("upd_pet_name", "upd_pet_age");
    assertThat(write.sql()).contains("set age = u.age from");
  }

  @Test
  void change_ofMore_writesTheFirstSetThatHasAll() {
    Write write = PETS.change(List.of(change(STRAY, OLDER), change(STRAY, HAPPY)));

    assertThat(write.parameters()).containsOnlyKeys("upd_pet_name", "upd_pet_age", "upd_pet_toys");
    assertThat(write.parameters().get("upd_pet_toys")).containsExactly(null, "ball bell");
  }

  @Test
  void change_ofWhatIsInNoSet_writesAllColumns() {
    Pet sold = new Pet("Rex", "dog", 3, "Bob", null);

    Write write = PETS.change(List.of(change(STRAY, OLDER), change(OWNED, sold)));

    assertThat(write.parameters()).hasSize(5);
    assertThat(write.parameters().get("upd_pet_owner")).containsExactly(null, "Bob");
  }

  @Test
  void together_ofAColumnThatIsNone_isRefused() {
    Batch<Pet> batch = new Batch<Pet>("pet").key("name", "text", Pet::name);

    assertThatThrownBy(() -> batch.together("color")).hasMessageContaining("color");
  }
}
