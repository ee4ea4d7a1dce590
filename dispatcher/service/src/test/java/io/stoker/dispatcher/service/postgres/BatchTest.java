package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.dispatcher.model.IdentityMap.Change;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which columns a statement names. That what it leaves out stays is the database's. */
class BatchTest {
  private record Pet(
      String name, String kind, Integer age, String owner, List<String> toys, boolean tame) {
    Pet(String name, String kind, Integer age, String owner, List<String> toys) {
      this(name, kind, age, owner, toys, true);
    }
  }

  private static Pet map(Row row) {
    return new Pet(
        row.at("name", Pet::name).text(),
        row.at("kind", Pet::kind).text(),
        row.at("age", Pet::age).integerOrNull(),
        row.at("owner", Pet::owner).text(),
        row.at("toys", List.of(), Pet::toys).list(JsonNode::textValue),
        row.at("tame").flag());
  }

  private static final Batch<Pet> PETS =
      new Batch<>("pet", 1, BatchTest::map)
          .later("owner, toys")
          .together("age")
          .together("age, toys");

  private static final Pet STRAY = new Pet("Mia", "cat", 1, null, List.of());
  private static final Pet OLDER = new Pet("Mia", "cat", 2, null, List.of());
  private static final Pet HAPPY = new Pet("Mia", "cat", 2, null, List.of("ball", "bell"));
  private static final Pet OWNED = new Pet("Rex", "dog", 3, "Ada", List.of());

  private static Change<Pet> change(Pet before, Pet after) {
    return new Change<>(before, after);
  }

  @Test
  void select_namesColumnsInTheOrderInWhichTheyAreRead() {
    assertThat(PETS.select("p"))
        .isEqualTo("select p.name, p.kind, p.age, p.owner, p.toys, p.tame from pet p ");
    assertThat(PETS.columns("p", Map.of("tame", "p.bites = 0")))
        .endsWith(" p.toys, p.bites = 0 as tame");
  }

  @Test
  void map_readsWhatIsSelected_fromWhereTheRowStands() {
    Row row = new Row(new Object[] {7L, "Rex", "dog", 3, "Ada", null, true, 8L});

    assertThat(row.bigint()).isEqualTo(7);
    assertThat(PETS.map(row)).isEqualTo(OWNED);
    assertThat(row.bigint()).isEqualTo(8);
  }

  @Test
  void map_thatReadsAColumnWithoutItsName_isRefused() {
    assertThatThrownBy(() -> new Batch<>("pet", 1, Row::text)).hasMessageContaining("of pet");
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
    assertThat(write.parameters().get("upd_pet_toys")).containsExactly(null, "[\"ball\",\"bell\"]");
  }

  @Test
  void change_ofWhatIsInNoSet_writesAllColumns() {
    Pet sold = new Pet("Rex", "dog", 3, "Bob", List.of());

    Write write = PETS.change(List.of(change(STRAY, OLDER), change(OWNED, sold)));

    assertThat(write.parameters()).hasSize(5);
    assertThat(write.parameters().get("upd_pet_owner")).containsExactly(null, "Bob");
  }

  @Test
  void replacing_overwritesAllButTheKey() {
    assertThat(PETS.replacing())
        .isEqualTo(
            "(name) do update set kind = excluded.kind, age = excluded.age,"
                + " owner = excluded.owner, toys = excluded.toys");
  }

  @Test
  void together_ofAColumnThatIsNone_isRefused() {
    Batch<Pet> batch = new Batch<Pet>("pet").key("name", "text", Pet::name);

    assertThatThrownBy(() -> batch.together("color")).hasMessageContaining("color");
  }
}
