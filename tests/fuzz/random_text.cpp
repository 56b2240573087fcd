#include "fuzz/random_text.hpp"

#include <algorithm>

namespace masing::fuzz {

std::string RandomText::number() {
  static const std::vector<std::string> odd{
      "0",     "-0",    "1",      "-1",     "0.1",
      "1e308", "1e309", "-1e308", "1e-320", "5e-324",
      "nan",   "inf",   "-inf",   "",       "+",
      "1e",    "0x10",  "1,5",    "1.5.2",  "+1",
      "+-1",   "1e+3",  ".5",     "5.",     "9007199254740993"};
  if (once_in(4)) {
    return one_of(odd);
  }
  return std::to_string(below(1000)) + "." + std::to_string(below(1000)) +
         (once_in(5) ? "e-" + std::to_string(below(12)) : "");
}

std::string RandomText::whole_number() {
  static const std::vector<std::string> odd{"0",
                                            "-1",
                                            "1",
                                            "inf",
                                            "1e6",
                                            "1e15",
                                            "9007199254740992",
                                            "9007199254740993",
                                            "1.5",
                                            "1e99",
                                            "",
                                            "0x8",
                                            "+7",
                                            "9223372036854775807",
                                            "9223372036854775808"};
  return once_in(4) ? one_of(odd) : std::to_string(1 + below(5000));
}

std::string RandomText::expression(char variable, int depth) {
  static const std::vector<std::string> binary{"+",  "-",  "*",  "/",  "^",  "<",  ">",
                                               "<=", ">=", "==", "!=", "&&", "||", "="};
  static const std::vector<std::string> functions{
      "triangle", "square", "sawtooth", "sin",  "cos",   "tan", "asin", "atan2", "exp",
      "ln",       "log",    "log10",    "log2", "sqrt",  "abs", "sign", "rint",  "min",
      "max",      "sum",    "avg",      "sinh", "acosh", "foo", "pi"};
  const auto inner = [&] { return expression(variable, depth - 1); };
  switch (depth <= 0 ? below(3) : below(10)) {
    case 0:
    case 1:
      return std::string(1, variable);
    case 2:
      return once_in(8) ? one_of({"pi", "_e", "_pi", "n", "i", "t", "s", "\"s\""}) : number();
    case 3:
    case 4:
    case 5:
      return inner() + one_of(binary) + inner();
    case 6:
      return "(" + inner() + ")";
    case 7:
      return one_of({"-", "+", "!", "--"}) + inner();
    case 8:
      return inner() + "?" + inner() + ":" + inner();
    default:
      return one_of(functions) + "(" + (once_in(4) ? list(4, ",", inner) : inner()) + ")";
  }
}

std::string RandomText::table(const std::vector<std::string>& files) {
  if (once_in(3)) {
    return "table:" + one_of(files);
  }
  const auto point = [&] { return number() + one_of({" ", ",", "\t", "  "}) + number(); };
  return "points:" + (once_in(2) ? list(5, "; ", point) : "0 " + number() + "; 1 " + number());
}

std::string RandomText::damaged(std::string text) {
  static const std::string bytes =
      "=,:;#[]()\"'\\ \t\n\r+-*/^<>?!&|.0159eEinfstPN\xEF\xBB\xBF\xFF\x01\x7F";
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, below(8));
    switch (below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.insert(at, 1, once_in(50) ? '\0' : bytes[below(bytes.size())]);
        break;
      default:
        if (at < text.size()) {
          text[at] = once_in(8) ? static_cast<char>(below(256)) : bytes[below(bytes.size())];
        }
        break;
    }
  }
  return text;
}

}  // namespace masing::fuzz
