#include "protocol/handlersocket/framing.h"

#include <algorithm>
#include <cstring>

namespace hs::protocol::handlersocket {

Frame next_line(std::string_view unread, size_t searched, size_t max_size) {
  // An LF behind max_size bytes is not searched for, since it would not change the answer. So the
  // answer does not depend on how the bytes were cut into packets.
  const size_t window = unread.size() <= max_size ? unread.size() : max_size + 1;
  const size_t begin = std::min(searched, window);
  const void* found = nullptr;
  if (begin < window) found = std::memchr(unread.data() + begin, '\n', window - begin);

  Frame frame;
  if (found == nullptr) {
    if (unread.size() > max_size) frame.state = Frame::State::kTooLong;
    return frame;
  }
  const auto size = static_cast<size_t>(static_cast<const char*>(found) - unread.data());
  frame.state = Frame::State::kLine;
  frame.consumed = size + 1;
  frame.line = unread.substr(0, size);
  if (!frame.line.empty() && frame.line.back() == '\r') frame.line.remove_suffix(1);
  return frame;
}

}  // namespace hs::protocol::handlersocket
