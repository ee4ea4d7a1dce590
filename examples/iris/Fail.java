/**
 * A job that fails, to show what becomes of it and of its dependents: it says why on stderr and
 * exits 3. {@code java Fail.java [WORDS]}
 */
public class Fail {
  public static void main(String[] args) {
    System.out.println("#stoker:progress 0.5");
    System.err.println(args.length == 0 ? "this job always fails" : String.join(" ", args));
    System.exit(3);
  }
}
