// What commands do with files: which they read and how far, and that none is ever harmed.
#include <gtest/gtest.h>

#include <filesystem>

#include "command.hpp"
#include "run_text.hpp"

namespace overlap::report {
namespace {

namespace fs = std::filesystem;

class FilesTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    run_ = write("run.json", text_);
  }
  /// Runs overlap-report in the test's folder; `shell` goes before it.
  CommandResult report(const std::string& arguments, const std::string& shell = "") const {
    return run_command("cd " + path("") + " && " + shell + " " OVERLAP_REPORT " " + arguments);
  }
  void expect(int code, const std::string& words, const std::string& arguments,
              const std::string& shell = "") const {
    const CommandResult result = report(arguments, shell);
    EXPECT_EQ(result.exit_code, code) << arguments << "\n" << result.output;
    EXPECT_TRUE(contains(result.output, words)) << arguments << "\n" << result.output;
  }

  const std::string text_ = run_text(row_text("a/n:1", 10, "us") + "," + row_text("a/n:2", 20, "us") + "," +
                                     row_text("b", 30, "us"));
  std::string run_;
};

TEST_F(FilesTest, NoInputIsWrittenOver) {
  fs::create_symlink("run.json", path("link.json"));
  fs::create_hard_link(run_, path("hard.json"));
  write("other.json", text_);
  const std::string tolerances =
      write("tolerances.json", R"({"schema": "overlap-tolerances-1", "tolerances": []})");
  ASSERT_EQ(report("history add store.jsonl run.json").exit_code, 0);
  const std::string store = read_file(path("store.jsonl"));
  for (const std::string& name : {std::string("run.json"), std::string("./run.json"), run_,
                                  std::string("link.json"), std::string("hard.json")}) {
    for (const char* command :
         {"table run.json", "advise run.json", "export run.json", "noise run.json",
          "compare --baseline run.json --new other.json", "compare --baseline other.json --new run.json"})
      expect(2, "which is read: write to another file", std::string(command) + " -o " + name);
    expect(2, "which is read", "history add " + name + " run.json");
  }
  expect(2, "which is read",
         "compare --baseline run.json --new other.json --tolerances tolerances.json -o tolerances.json");
  expect(2, "which is read", "compare --baseline-store store.jsonl --last 1 --new run.json -o store.jsonl");
  expect(2, "which is read", "history show store.jsonl -o store.jsonl");
  expect(2, "which is read", "table - -o run.json <run.json");
  EXPECT_EQ(read_file(run_), text_);
  EXPECT_EQ(read_file(path("store.jsonl")), store);
  EXPECT_FALSE(read_file(tolerances).empty());
}

TEST_F(FilesTest, OnlyAStoreIsAddedTo) {
  ASSERT_EQ(report("history add store.jsonl run.json").exit_code, 0);
  const std::string store = read_file(path("store.jsonl"));
  std::string wide = "\xFF\xFE";
  for (const char c : store) wide.append({c, '\0'});
  const std::pair<std::string, const char*> foreign[] = {
      {text_, "is a run of Google Benchmark's, not a history store"},
      {"a note\n", "is not a history store"},
      {"{\"schema\": \"mine\"}\n", "is not a history store"},
      {"\x1F\x8B\x08 of a store", "is compressed by gzip, not a history store: overlap-report history add"},
      {R"({"schema": "overlap-tolerances-1", "tolerances": []})", "is a tolerance file, not a history store"},
      {wide, "not a history store"}};
  for (const auto& [text, words] : foreign) {
    const std::string file = write("foreign", text);
    expect(3, words, "history add foreign run.json");
    expect(3, "nothing was added", "history add foreign run.json");
    EXPECT_EQ(read_file(file), text);
    if (text != wide) expect(3, words, "history show foreign");
  }
  expect(3, "is compressed by gzip, not a list of acknowledged changes",
         "history show store.jsonl --acknowledged foreign", "printf '\\037\\213\\010' > foreign;");
  expect(3, "is a history store, not a list of acknowledged changes",
         "history show store.jsonl --acknowledged store.jsonl");
  expect(3, "folder", "history show .");
  for (const std::string& torn : {store.substr(0, 20), store.substr(0, 60) + "\n"}) {
    write("torn", torn + (torn.ends_with('\n') ? store : ""));
    expect(0, "", "history add torn other.json", "sed s/10/11/ run.json > other.json;");
    EXPECT_TRUE(read_file(path("torn")).starts_with(torn)) << "what a crash cut off stays";
    expect(0, "3 series", "history show torn --format md");
  }
}

// A limit on the size of files does what a full disk does, and needs no disk.
TEST_F(FilesTest, AnOutputThatDoesNotFitLeavesTheOldOne) {
  std::string rows = row_text("a/n:1", 10, "us");
  for (int n = 2; n < 200; ++n) rows += "," + row_text("a/n:" + std::to_string(n), 10, "us");
  write("large.json", run_text(rows));
  const std::string old = write("table.txt", "of yesterday\n");
  const char* const full = "trap '' XFSZ; ulimit -f 1;";
  expect(2, "cannot write", "table large.json -o table.txt", full);
  EXPECT_EQ(read_file(old), "of yesterday\n");
  ASSERT_EQ(report("history add store.jsonl run.json").exit_code, 0);
  const std::string store = read_file(path("store.jsonl"));
  expect(3, "store.jsonl", "history add store.jsonl large.json", full);
  EXPECT_EQ(read_file(path("store.jsonl")), store);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& each : fs::directory_iterator(path(""))) ++files;
  EXPECT_EQ(files, 4U) << "nothing else is left behind";
  expect(0, "", "table large.json -o table.txt");
  EXPECT_TRUE(contains(read_file(old), "198"));
}

TEST_F(FilesTest, OutputsKeepWhatTheyAre) {
  fs::create_directory(path("target"));
  write("target/table.txt", "old");
  fs::create_symlink("target/table.txt", path("table.txt"));
  fs::permissions(path("target/table.txt"), fs::perms::owner_read | fs::perms::owner_write);
  expect(0, "", "table run.json -o table.txt");
  EXPECT_TRUE(fs::is_symlink(path("table.txt")));
  EXPECT_TRUE(contains(read_file(path("target/table.txt")), "10.0 us"));
  EXPECT_EQ(fs::status(path("target/table.txt")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  expect(0, "10.0 us", "table run.json -o /dev/stdout");
  expect(0, "10.0 us", "table run.json -o - | cat");
  expect(0, "10.0 us", "table run.json -o pipe & cat pipe", "mkfifo pipe;");
  expect(2, "cannot write there", "table run.json -o target");
}

TEST_F(FilesTest, WhatWasCutOffIsReadAndNotJudgedUnasked) {
  const std::string cut = write("cut.json", text_.substr(0, text_.find("\"b\"")));
  for (const char* command : {"table cut.json", "advise cut.json", "export cut.json --format bencher"})
    expect(0, "cut off", command);
  expect(0, "2 complete rows were read", "table cut.json");
  for (const char* command : {"compare --baseline run.json --new cut.json",
                              "noise run.json cut.json cut.json", "history add store.jsonl cut.json"})
    expect(3, "--salvage takes them as they are", command);
  EXPECT_FALSE(fs::exists(path("store.jsonl")));
  expect(0, "but cut.json was cut off", "compare --salvage --baseline run.json --new cut.json");
  expect(0, "cut off", "history add --salvage store.jsonl cut.json");
  const std::string nothing = write("nothing.json", text_.substr(0, text_.find("\"a/n:1\"")));
  expect(3, "nothing.json", "table nothing.json");
}

TEST_F(FilesTest, StandardInputIsAFile) {
  expect(0, "standard input", "table - < run.json");
  expect(0, "10.0 us", "table - ", "cat run.json |");
  expect(2, "can be read once", "compare --baseline - --new - < run.json");
  expect(3, "standard input", "table - < /dev/null");
}

TEST_F(FilesTest, EveryRefusedFileIsNamed) {
  write("note", "a note\n");
  const CommandResult result = report("table run.json note nosuch.json .");
  EXPECT_EQ(result.exit_code, 3);
  for (const char* word : {"note: ", "nosuch.json: ", ".: ", "3 of 4 files"})
    EXPECT_TRUE(contains(result.output, word)) << result.output;
}

TEST_F(FilesTest, HundredsOfFilesNeedNoThreadEach) {
  std::string files;
  for (int i = 0; i < 300; ++i) files += " run.json";
  expect(0, "10.0 us", "table" + files, "ulimit -n 64;");
}

}  // namespace
}  // namespace overlap::report
