// Commands that delete rows.
#include "protocol/resp/families.h"

namespace hs::protocol::resp {
namespace {

// DEL and UNLINK.
class Delete final : public RespCommand {
  void take() override { keys_.assign(arguments_.begin() + 1, arguments_.end()); }
  Access row_access() const override { return Access::kDelete; }
  void prepare() override {
    at_ = 0;
    deleted_ = 0;
    for (const mapping::Mapping* table : tables_) {
      if (table != nullptr) (void)target(*table, table->key);
    }
  }
  bool next_request(Request& request) override {
    while (at_ < keys_.size() && !locate(at_)) ++at_;
    if (at_ == keys_.size()) return false;
    const mapping::Mapping& table = table_of(at_++);
    modify(request, target(table, table.key), Modification::kDelete, {});
    return true;
  }
  void count(uint64_t number) override { deleted_ += number; }
  void reply() override { out_->integer(deleted_); }

  size_t at_ = 0;
  uint64_t deleted_ = 0;
};

class GetDelete final : public OneKeyCommand {
  Access row_access() const override { return Access::kDelete; }
  void prepare_row() override {
    old_.reset();
    if (exists_) (void)target(table(), table().value);
  }
  bool next_request(Request& request) override {
    if (!exists_ || step_++ != 0) return false;
    modify(request, 0, Modification::kDelete, {});
    request.return_old = true;
    return true;
  }
  bool row(std::span<const Value> values) override {
    if (values.size() != 1 || !values.front().is_null()) {
      old_ = join_value(values, table().value_separator);
    }
    return true;
  }
  void take_back_row() override { old_.reset(); }
  void reply() override { old_ ? out_->bulk(*old_) : out_->null(); }

  std::optional<std::string> old_;
};

}  // namespace

Made make_delete() { return std::make_unique<Delete>(); }
Made make_get_delete() { return std::make_unique<GetDelete>(); }

}  // namespace hs::protocol::resp
