package io.stoker.dispatcher.service.backup;

import io.stoker.dispatcher.service.postgres.Migration;
import io.stoker.dispatcher.service.postgres.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A schema of its own in the database, where a backup is put back beside what is there: nobody sees
 * it, whatever becomes of that, until it takes the others' place in one transaction.
 */
final class Staging {
  static final String NAME = "stoker_restoring";

  /** Of the lock that who restores holds in the database for as long as he is connected. */
  private static final long LOCK = 0x73746f6b65720001L;

  private static final String HISTORY = "flyway_schema_history";

  /** In which there is something anyway, by migrations or each dispatcher that starts. */
  private static final List<String> ANYWAY = List.of("clock", "fleet", "kinds");

  /** What others may do with tables, and with single columns, that there are to be again. */
  private static final String RIGHTS =
      """
      select format('grant %s%s on %I.%I to %s%s', a.privilege_type, o.columns, n.nspname, t.relname,
        case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end,
        case when a.is_grantable then ' with grant option' else '' end)
      from (
        select c.relname, null as attname, '' as columns, coalesce(c.relacl, acldefault('r', c.relowner)) as acl
        from pg_class c where c.relnamespace = cast(quote_ident(?) as regnamespace) and c.relkind = 'r'
        union all
        select c.relname, x.attname, format(' (%I)', x.attname), x.attacl
        from pg_class c join pg_attribute x on x.attrelid = c.oid and x.attnum > 0
        where c.relnamespace = cast(quote_ident(?) as regnamespace) and c.relkind = 'r'
          and x.attacl is not null) o
      cross join lateral aclexplode(o.acl) a
      join pg_class t on t.relname = o.relname
      join pg_namespace n on n.oid = t.relnamespace and n.nspname = ?
      where a.grantee <> (select r.oid from pg_roles r where r.rolname = current_user)
        and (o.attname is null or exists (
          select 1 from pg_attribute x where x.attrelid = t.oid and x.attname = o.attname))
      """;

  private final Sql sql;
  private final Schema schema = Schema.ofThisBuild();
  private final String target;

  Staging(Sql sql) throws SQLException {
    this.sql = sql;
    target = sql.text("select current_schema()");
  }

  /** Tables of the database in which something is, which a restore would replace. */
  List<String> occupied() throws SQLException {
    List<String> occupied = new ArrayList<>();
    for (String table : there()) {
      boolean counts = !ANYWAY.contains(table) && !table.equals(HISTORY);
      if (counts
          && sql.text("select exists (select 1 from %s)".formatted(in(target, table)))
              .equals("t")) {
        occupied.add(table);
      }
    }
    return occupied;
  }

  /**
   * Keeps all others from it: two would fill one schema, and the first that is ready would put what
   * the other has only begun in place.
   *
   * @throws Refused if somebody else has it
   */
  void claim() throws SQLException {
    if (!sql.text("select pg_try_advisory_lock(?)", LOCK).equals("t")) {
      throw new Refused("another restore is under way in this database: let it end first");
    }
  }

  /** The newest version that the schema of the database has had; empty if there is none. */
  Optional<String> version() throws SQLException {
    return there().contains(HISTORY)
        ? Schema.newest(sql.column(Schema.VERSIONS))
        : Optional.empty();
  }

  /** Makes it anew, with the tables of a version. */
  void make(String version) throws SQLException {
    drop();
    sql.run("create schema %s".formatted(NAME));
    migrate(version);
  }

  private void drop() throws SQLException {
    sql.run("drop schema if exists %s cascade".formatted(NAME));
  }

  /**
   * Leaves nothing behind of what is not to be: it may be large, and has secrets.
   *
   * @param why it is not; it is told of what goes wrong here, too
   */
  void giveUp(Exception why) {
    try {
      sql.rollback();
      drop();
    } catch (SQLException e) {
      why.addSuppressed(e); // the next restore drops it
    }
  }

  /** Brings its tables to those of this build. */
  void migrate() {
    migrate(schema.version());
  }

  private void migrate(String version) {
    Migration.migrate(sql.server(), NAME, version);
  }

  /** Puts a table's rows in. */
  void fill(Manifest.Table table, InputStream rows) throws SQLException, IOException {
    // Some are made with rows in them.
    String name = in(NAME, table.name());
    sql.run("truncate " + name);
    // What they would add is in the backup, too.
    sql.run("alter table %s disable trigger user".formatted(name));
    long came = sql.copyIn(name, table.columns(), rows);
    sql.run("alter table %s enable trigger user".formatted(name));
    if (came != table.rows()) {
      throw new Refused(
          "table %s has %d rows, and the backup says %d"
              .formatted(table.name(), came, table.rows()));
    }
  }

  /** From here on its tables are what unqualified names mean, within one transaction. */
  void begin() throws SQLException {
    sql.begin();
    sql.run("set local search_path to " + NAME);
  }

  /**
   * Has it take the place of what is there, in that transaction, with the rights that others have
   * to that.
   */
  void takePlace() throws SQLException {
    for (String right : sql.column(RIGHTS, target, target, NAME)) {
      sql.run(right);
    }
    List<String> old = there();
    if (!old.isEmpty()) {
      // Not those that depend on them: these are not ours.
      sql.run(
          "drop table "
              + old.stream().map(table -> in(target, table)).collect(Collectors.joining(", ")));
    }
    for (String table :
        sql.column(
            "select table_name from information_schema.tables where table_schema = ?", NAME)) {
      sql.run("alter table %s set schema %s".formatted(in(NAME, table), Sql.quoted(target)));
    }
    for (String function :
        sql.column(
            "select routine_name from information_schema.routines where routine_schema = ?",
            NAME)) {
      sql.run("drop function if exists %s()".formatted(in(target, function)));
      sql.run(
          "alter function %s() set schema %s".formatted(in(NAME, function), Sql.quoted(target)));
    }
    sql.run("drop schema %s".formatted(NAME));
  }

  /** What lets the database plan well, once it is in place. */
  void analyze() throws SQLException {
    for (String table : there()) {
      sql.run("analyze " + in(target, table));
    }
  }

  /** Tables of Stoker that are in the database. */
  private List<String> there() throws SQLException {
    List<String> all =
        sql.column(
            "select table_name from information_schema.tables where table_schema = ?", target);
    return Stream.concat(schema.tables().stream().sorted(), Stream.of(HISTORY))
        .filter(all::contains)
        .toList();
  }

  private static String in(String schema, String table) {
    return Sql.quoted(schema) + "." + Sql.quoted(table);
  }
}
