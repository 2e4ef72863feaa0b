package conformance;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FileDescriptor;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Kafka's side of the comparison; run.py starts it, see README.md for the lines that go in and out. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(
        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 20), false, StandardCharsets.UTF_8);
    switch (args[0]) {
      case "generate" -> {
        Catalogue catalogue = Catalogue.of(in);
        catalogue.notes().forEach(System.err::println);
        Generate.run(catalogue.targets(), Long.parseLong(args[1]), Integer.parseInt(args[2]), out);
      }
      case "reread" -> {
        try (BufferedReader list = Files.newBufferedReader(Path.of(args[1]))) {
          Reread.run(Catalogue.of(list), in, out);
        }
      }
      case "make-batches" -> MakeBatches.run(Long.parseLong(args[1]), Integer.parseInt(args[2]), out);
      case "view-batches" -> BatchView.run(in, out);
      default -> throw new IllegalArgumentException("unknown command " + args[0]);
    }
    out.flush();
    if (out.checkError()) {
      throw new IllegalStateException("the answers could not be written");
    }
  }
}
