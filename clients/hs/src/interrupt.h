// Ctrl-C at the prompt: it ends the command that runs, and not hs.
#ifndef HS_CLIENTS_HS_INTERRUPT_H_
#define HS_CLIENTS_HS_INTERRUPT_H_

#include <exception>

namespace hs::tool {

// A command that was ended so.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// From now on Ctrl-C is only noted. Another one, a while later, ends hs: its command waits for an answer.
void catch_interrupts();

// Around a command: forgets what was noted before it.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

bool is_interrupted();
void forget_interrupt();
void throw_if_interrupted();

// Sleeps, but not after a Ctrl-C.
void pause(double seconds);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_INTERRUPT_H_
