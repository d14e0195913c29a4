// What a secret leaves behind where no variable is any more: a processor's vector registers keep what
// was copied last, and the dynamic linker puts them on the stack when it looks a function up that is
// called for the first time. A frame that has ended stays as it is until another call needs its place.
#pragma once

namespace hs {

// Overwrites the calling thread's vector registers (on x86-64), and its stack for 32 KiB below the
// caller's frame. For the thread that has copied a secret, once all that did so has returned.
void overwrite_traces();

}  // namespace hs
