#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/function.hpp"
#include "cli/words.hpp"

namespace masing::cli {

using base::Constants;
using base::Names;

/// The largest count. Up to this limit every integer is exact as a double. Therefore p·T/N and i/P
/// are computed from exact operands.
inline constexpr std::int64_t largest_count = std::int64_t{1} << 53;

/// The values of a call: the one form of a request between its words and its specs. A getter reads
/// the text of a key, inserts the values of the named constants (--let), and throws a UserError
/// that begins with the place of the text if it is not valid. Most defaults that follow from other
/// keys are written back as text by derive(). Copies share the parsed expressions, so that each
/// text of a scan is parsed once. All functions are local.
class Values {
 public:
  explicit Values(Given given);

  /// Returns the texts that the user gave.
  [[nodiscard]] const Given& call() const { return *given_; }
  [[nodiscard]] Command command() const { return given_->command; }
  [[nodiscard]] Family family() const { return family_; }

  /// Returns whether the user gave the key, or a point of a scan gives it.
  [[nodiscard]] bool given(const std::string& key) const;
  /// Returns whether the key has a value that follows from other keys.
  [[nodiscard]] bool is_derived(const std::string& key) const;
  /// Returns the place where the user gave an option or a parameter of the model, for messages. If
  /// the user did not give it, returns what gives it: "--mass", "--set k".
  [[nodiscard]] std::string place(const std::string& quantity) const;
  /// Calls `work` and returns its result. If `work` throws a UserError, its message then begins
  /// with the place of an option or a parameter, as at_place() writes it. place() is called only
  /// then.
  template <typename Work>
  auto at(const std::string& quantity, const Work& work) const {
    try {
      return work();
    } catch (const base::UserError&) {
      return at_place(place(quantity), []() -> decltype(work()) { throw; });
    }
  }
  /// Returns the text of a key as it was written or derived, or else the default of the option.
  [[nodiscard]] const std::string& text(const std::string& key) const;
  /// Returns whether the text of a key is not empty.
  [[nodiscard]] bool has(const std::string& key) const { return !text(key).empty(); }

  [[nodiscard]] bool flag(const std::string& key) const { return index_of_word(key) != 0; }
  /// Returns the enumerator of a choice. The words of the option stand in the order of the
  /// enumerators.
  template <typename Enum>
  [[nodiscard]] Enum choice(const std::string& key) const {
    return static_cast<Enum>(index_of_word(key));
  }
  [[nodiscard]] double real(const std::string& key) const;
  /// Returns a whole number. A text of digits is read exactly, up to 2^53. The value of any other
  /// text is rounded to the nearest integer if the relative difference of the two is at most 1e-12.
  [[nodiscard]] std::int64_t count(const std::string& key) const;
  /// Returns the numbers of a list.
  [[nodiscard]] std::vector<double> list(const std::string& key) const;
  /// Returns the numbers of each level or ladder of a study: N, P, P:N or first:last:count.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> levels(const std::string& key) const;
  /// Returns the seconds of a time such as "90", "15:00" or "23:30:00".
  [[nodiscard]] double seconds(const std::string& key) const;
  /// Returns a function in which constants and tables are inserted. It is 0 if the option has
  /// neither a text nor a default. In functions of s of elements, i and n remain names.
  [[nodiscard]] base::Function function(const std::string& key) const;

  /// Returns the number that a text gives: a literal, or an expression of `known` constants.
  [[nodiscard]] double number(const std::string& text, const Constants& known) const;
  /// Returns the whole number that a text gives, as count() does.
  [[nodiscard]] std::int64_t whole(const std::string& text, const Constants& known) const;
  /// Returns the function in a text, in which constants and tables are still names. It is one of s
  /// or t if an option of this kind takes it, one of i for a value of a parameter (Kind::pair), and
  /// has no variable for a number (Kind::real).
  [[nodiscard]] const base::Function& parsed(const std::string& text, Kind kind) const;

  /// Returns the value of an option as text: a number, or a function in which constants are
  /// replaced by their values, or the text itself. Throws UserError if the text is not valid.
  [[nodiscard]] std::string value(const Option& option) const;

  /// Sets the text of a key that follows from other keys. If the user gave the key, it still counts
  /// as given.
  void derive(const std::string& key, std::string text);
  /// Sets the text of a key as if the user had given it at `place`.
  void set(const std::string& key, std::string text, std::string place);
  /// Returns these values at a point of a scan, which has the entries `row` of its own.
  [[nodiscard]] Values with(const std::vector<Entry>& row) const;

  /// Returns the values of all constants. Throws UserError for a constant that is no number or that
  /// is defined by itself.
  [[nodiscard]] const Constants& constants() const;
  /// Returns the names of the constants and tables in all texts that were read so far; after
  /// check(), these are all texts that the user gave.
  [[nodiscard]] Names used() const;
  /// Throws UserError for the first text that the user gave and that is not valid, even if the
  /// model does not use it.
  void check() const;

 private:
  using Parsed = std::map<std::pair<char, std::string>, base::Function>;

  /// Returns the text of a key as it was derived or set, or else as it was written; null if there
  /// is none. The place of a derived text is empty.
  [[nodiscard]] const Entry* entry(const std::string& key) const;
  /// Returns the row of the table of options, which must have the key.
  [[nodiscard]] const Option& option(const std::string& key) const;
  /// Returns the index of the text of a choice among its words. Throws UserError if it is none.
  [[nodiscard]] std::size_t index_of_word(const std::string& key) const;
  /// Returns the values of the names that the text of a numeric option may use: of the constants
  /// and, for the final time and the number of steps, of the tables. Then the value of a table is
  /// its last argument, or the number of steps up to there whose width is the mean distance of its
  /// arguments.
  [[nodiscard]] Constants names_for(const std::string& key) const;
  std::shared_ptr<const Given> given_;
  Family family_;
  std::shared_ptr<Parsed> parsed_ = std::make_shared<Parsed>();
  std::map<std::string, Entry> own_;  // derived texts and those of a point
  mutable std::optional<Constants> constants_;
  base::Tables tables_;
};

/// Splits a list such as "0.5, 2/3, max(1,i)" at the commas outside of parentheses and returns the
/// trimmed parts. Returns no parts if the text is empty. Local.
std::vector<std::string> split_list(const std::string& text);

}  // namespace masing::cli
