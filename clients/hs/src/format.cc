#include "format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "csv.h"
#include "json.h"
#include "screen.h"
#include "tsv.h"

namespace hs::tool {
namespace {

Row head_of(const Columns& columns) {
  Row names;
  for (const Column& column : columns) names.emplace_back(column.name);
  return names;
}

std::string cell(const Cell& value) { return value ? shown(*value) : "NULL"; }

class TablePrinter : public Printer {
 public:
  TablePrinter(const Look& look, const Columns& columns, std::string& out)
      : look_(look), columns_(columns), out_(out) {
    for (const Column& column : columns) {
      widths_.push_back(look.header ? width(shown(column.name)) : 0);
    }
  }
  void row(const Row& row) override {
    for (size_t i = 0; i < row.size(); i++) {
      widths_[i] = std::max(widths_[i], width(cell(row[i])));
    }
    rows_.push_back(row);
  }
  void end() override {
    if (rows_.empty()) return;
    if (look_.header) {
      line(head_of(columns_), true);
      for (size_t i = 0; i < widths_.size(); i++) {
        out_ += (i > 0 ? "  " : "") + std::string(widths_[i], '-');
      }
      out_ += '\n';
    }
    for (const Row& row : rows_) line(row, false);
  }

 private:
  void line(const Row& row, bool header) {
    for (size_t i = 0; i < row.size(); i++) {
      const std::string text = cell(row[i]);
      const std::string blanks(widths_[i] - width(text), ' ');
      const Kind kind = columns_[i].kind;
      const bool right = kind == Kind::number || kind == Kind::decimal;
      const Style style = header ? Style::bold : row[i] ? Style::plain : Style::dim;
      if (i > 0) out_ += "  ";
      if (right) out_ += blanks;
      out_ += styled(text, style, look_.colour);
      if (!right && i + 1 < row.size()) out_ += blanks;
    }
    out_ += '\n';
  }

  Look look_;
  const Columns& columns_;
  std::string& out_;
  std::vector<size_t> widths_;
  std::vector<Row> rows_;
};

class VerticalPrinter : public Printer {
 public:
  VerticalPrinter(const Look& look, const Columns& columns, std::string& out)
      : look_(look), columns_(columns), out_(out) {
    for (const Column& column : columns) widest_ = std::max(widest_, width(shown(column.name)));
  }
  void row(const Row& row) override {
    const std::string stars(20, '*');
    out_ +=
        styled(fmt::format("{} {} {}", stars, ++number_, stars), Style::dim, look_.colour) + "\n";
    for (size_t i = 0; i < row.size(); i++) {
      const std::string name = shown(columns_[i].name);
      out_ += std::string(widest_ - width(name), ' ') + styled(name, Style::bold, look_.colour);
      out_ += ": " + styled(cell(row[i]), row[i] ? Style::plain : Style::dim, look_.colour) + "\n";
    }
  }

 private:
  Look look_;
  const Columns& columns_;
  std::string& out_;
  size_t widest_ = 0;
  uint64_t number_ = 0;
};

class JsonPrinter : public Printer {
 public:
  JsonPrinter(bool lines, const Columns& columns, std::string& out)
      : lines_(lines), columns_(columns), out_(out) {
    if (!lines_) out_ += '[';
  }
  void row(const Row& row) override {
    if (!lines_) out_ += first_ ? "\n  " : ",\n  ";
    first_ = false;
    append_json(out_, columns_, row);
    if (lines_) out_ += '\n';
  }
  void end() override {
    if (!lines_) out_ += first_ ? "]\n" : "\n]\n";
  }

 private:
  bool lines_, first_ = true;
  const Columns& columns_;
  std::string& out_;
};

using Append = void (*)(std::string&, const Row&);

class LinePrinter : public Printer {
 public:
  LinePrinter(Append append, bool header, const Columns& columns, std::string& out)
      : append_(append), out_(out) {
    if (header) append_(out_, head_of(columns));
  }
  void row(const Row& row) override { append_(out_, row); }

 private:
  Append append_;
  std::string& out_;
};

std::unique_ptr<Printer> make_exact(const Look& look, const Columns& columns, std::string& out) {
  switch (look.format) {
    case Format::table:
      return std::make_unique<TablePrinter>(look, columns, out);
    case Format::vertical:
      return std::make_unique<VerticalPrinter>(look, columns, out);
    case Format::json:
    case Format::jsonl:
      return std::make_unique<JsonPrinter>(look.format == Format::jsonl, columns, out);
    case Format::csv:
      return std::make_unique<LinePrinter>(append_csv, look.header, columns, out);
    case Format::tsv:
      return std::make_unique<LinePrinter>(append_tsv, look.header, columns, out);
  }
  return nullptr;
}

// A format of files on a terminal.
class ShownPrinter : public Printer {
 public:
  ShownPrinter(const Look& look, const Columns& columns, std::string& out)
      : is_json_(look.format == Format::json || look.format == Format::jsonl),
        exact_(make_exact(look, columns, text_)),
        out_(out) {
    flush();
  }
  void row(const Row& row) override {
    exact_->row(row);
    flush();
  }
  void end() override {
    exact_->end();
    flush();
  }

 private:
  void flush() {
    out_ += is_json_ ? shown_json(text_) : shown_lines(text_);
    text_.clear();
  }

  bool is_json_;
  std::string text_;
  std::unique_ptr<Printer> exact_;
  std::string& out_;
};

}  // namespace

std::optional<Format> format_of(std::string_view name) {
  for (size_t i = 0; i < std::size(format_names); i++) {
    if (name == format_names[i]) return static_cast<Format>(i);
  }
  return std::nullopt;
}

std::unique_ptr<Printer> make_printer(const Look& look, const Columns& columns, std::string& out) {
  const bool is_file = look.format != Format::table && look.format != Format::vertical;
  if (look.terminal && is_file) return std::make_unique<ShownPrinter>(look, columns, out);
  return make_exact(look, columns, out);
}

std::string as_text(const Look& look, const Rows& rows) {
  std::string text;
  const auto printer = make_printer(look, rows.columns, text);
  for (const Row& row : rows.rows) printer->row(row);
  printer->end();
  return text;
}

}  // namespace hs::tool
