// Doubly linked lists whose links are inside the elements: nothing is allocated, and an element
// that is destroyed leaves its list by itself.
//
// An element type derives from one ListHook<Tag> for each list it can be in at the same time. Lists
// do not own their elements. Not thread-safe.
#pragma once

#include "base/assert.h"

namespace hs {

template <class Tag>
class ListHook {
 public:
  ListHook() = default;
  ListHook(const ListHook&) = delete;
  ListHook& operator=(const ListHook&) = delete;
  ~ListHook() { unlink(); }

  bool linked() const { return next_ != this; }
  void unlink() {
    prev_->next_ = next_;
    next_->prev_ = prev_;
    prev_ = next_ = this;
  }

 private:
  template <class T, class U>
  friend class IntrusiveList;

  ListHook* prev_ = this;
  ListHook* next_ = this;
};

template <class T, class Tag>
class IntrusiveList {
 public:
  bool empty() const { return !head_.linked(); }
  // The list must not be empty.
  T& front() {
    HS_ASSERT(!empty());
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDelete): what is deleted unlinks itself
    return static_cast<T&>(*head_.next_);
  }
  const T& front() const {
    HS_ASSERT(!empty());
    return static_cast<const T&>(*head_.next_);
  }

  // Appends the element. It leaves the list of this Tag that it was in, if any.
  void push_back(T& element) {
    ListHook<Tag>& hook = element;
    hook.unlink();
    hook.prev_ = head_.prev_;
    hook.next_ = &head_;
    head_.prev_->next_ = &hook;
    head_.prev_ = &hook;
  }
  T& pop_front() {
    T& element = front();
    static_cast<ListHook<Tag>&>(element).unlink();
    return element;
  }

 private:
  ListHook<Tag> head_;
};

}  // namespace hs
