#include "server/batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/fixtures/batch_fixture.h"

namespace hs::server {
namespace {

TEST_F(BatchTest, PipelinedRequestsAreAnsweredInOrderAndSeeEarlierOnes) {
  first_.input().append(find(1) + insert(1) + find(1) + "\n" + insert(1) + find(1));
  run({&first_});
  EXPECT_EQ(take(first_), "0\t2\n0\t1\n" + found(1) + "2\t1\tcmd\n1\t1\t121\n" + found(1));
  EXPECT_TRUE(first_.input().empty());
  EXPECT_FALSE(first_.may_have_more);
  EXPECT_EQ(counters_.requests.get(), 3u + 6u);
  EXPECT_EQ(counters_.errors.get(), 2u);
}

TEST_F(BatchTest, RequestsRowsAndErrorsAreCountedByKind) {
  first_.input().append(insert(1) + insert(2) + insert(2) + find(1) + find(7) + "\n" +
                        "1\t>\t1\t0\t10\t0\n" +        // two rows
                        "1\t=\t1\t1\t1\t0\tU\t1\tx\n"  // an update
                        "1\t=\t1\t7\t1\t0\tU\t7\tx\n"  // another, of no row
                        "1\t>\t1\t0\t10\t0\tD\n");     // two rows
  Peer unknown(pool_, line_protocol(), secret_);
  unknown.input().append(find(1));
  run({&first_, &unknown});
  EXPECT_EQ(counters_.finds.get(), 3u);
  const auto changes = [this](engine::Access access) {
    return counters_.changes[static_cast<size_t>(access)].get();
  };
  EXPECT_EQ(changes(engine::Access::kInsert), 3u);
  EXPECT_EQ(changes(engine::Access::kUpdate), 2u);
  EXPECT_EQ(changes(engine::Access::kDelete), 1u);
  EXPECT_EQ(counters_.rows_found.get(), 1u + 2u);
  EXPECT_EQ(counters_.rows_changed.get(), 2u + 1u + 2u);
  EXPECT_EQ(counters_.errors.get(), 3u);  // the duplicate, the empty line, the unknown client
  for (const Counter& errors : counters_.errors_by_kind) EXPECT_EQ(errors.get(), 1u);
}

TEST_F(BatchTest, ARequestThatComesByteByByteIsExecutedOnce) {
  const std::string request = insert(7);
  for (char byte : request) {
    EXPECT_EQ(take(first_), "");
    first_.input().append(byte);
    run({&first_});
  }
  EXPECT_EQ(take(first_), "0\t1\n");
  EXPECT_EQ(commits(), 1u);
  EXPECT_EQ(counters_.batches.get(), 3u + 1u);
}

TEST_F(BatchTest, AnIncompleteLineStaysWhereItIs) {
  first_.input().append(find(1) + "1\t=\t1");
  run({&first_});
  EXPECT_EQ(take(first_), "0\t2\n");
  EXPECT_EQ(first_.input().view(), "1\t=\t1");
  first_.input().append("\t1\n");
  run({&first_});
  EXPECT_EQ(take(first_), "0\t2\n");
}

TEST_F(BatchTest, RequestsOfSeveralClientsShareOneCommit) {
  first_.input().append(insert(1) + insert(2));
  second_.input().append(insert(3));
  third_.input().append(find(3));
  run({&first_, &second_, &third_});
  EXPECT_EQ(commits(), 1u);
  EXPECT_EQ(counters_.commits.get(), 1u);
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n");
  EXPECT_EQ(take(second_), "0\t1\n");
  EXPECT_EQ(take(third_), found(3));
}

TEST_F(BatchTest, NoReplyOfAFailedCommitIsKept) {
  second_.output().append("0\t1\tof an earlier batch\n");
  first_.input().append(insert(1) + insert(1) + insert(2));
  second_.input().append(insert(3));
  faulty_.fail(Call::kCommit, 1, Error::engine(150));
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "1\t1\t150\n1\t1\t150\n1\t1\t150\n");
  EXPECT_EQ(take(second_), "0\t1\tof an earlier batch\n1\t1\t150\n");
  EXPECT_TRUE(rows().empty());
  EXPECT_EQ(counters_.commits.get(), 0u);
  EXPECT_EQ(counters_.errors.get(), 4u);

  first_.input().append(insert(1));
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n");
}

TEST_F(BatchTest, OpeningAnIndexCommitsWhatWasBefore) {
  first_.input().append(insert(1) + "P\t2\td\tt\t\tk\n" + insert(2) + "2\t=\t1\t2\n");
  faulty_.fail(Call::kCommit, 2, Error::engine(150));
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n1\t1\t150\n1\t1\t150\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1"}));
  first_.input().append("2\t=\t1\t1\n");
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\t1\n");
}

TEST_F(BatchTest, AuthenticationIsNotTakenBack) {
  first_.input().append(insert(1) + "A\t1\twrong\n" + insert(2) + "A\t1\tsecret\n" + insert(3));
  faulty_.fail(Call::kCommit, 1, Error::engine(150));
  run({&first_});
  EXPECT_EQ(take(first_), "1\t1\t150\n3\t1\tunauth\n3\t1\tunauth\n0\t1\n0\t1\n");
}

TEST_F(BatchTest, ALineThatIsTooLongIsAnsweredAfterTheOthersAndEndsTheConnection) {
  first_.input().append(insert(1) + std::string(1001, 'x') + "\n" + insert(2));
  second_.input().append(insert(3));
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "0\t1\n2\t1\trequest_too_long\n");
  EXPECT_EQ(first_.ending, Peer::Ending::kLastWords);
  EXPECT_EQ(take(second_), "0\t1\n");
  EXPECT_EQ(second_.ending, Peer::Ending::kNone);
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "3,v3"}));
}

TEST_F(BatchTest, AClientThatBeginsWithARequestOfHttpIsTurnedAwayWithoutAnAnswer) {
  for (const std::string end : {"\n", "\r\n"}) {
    Peer browser(pool_, line_protocol());
    browser.client.set_authorized(true);
    browser.input().append("POST / HTTP/1.1" + end + "P\t1\td\tt\tPRIMARY\tk,v\n" + insert(1));
    run({&browser});
    EXPECT_EQ(take(browser), "");
    EXPECT_EQ(browser.ending, Peer::Ending::kForeign);
    run({&browser});
    EXPECT_EQ(take(browser), "");
  }
  EXPECT_EQ(rows(), std::vector<std::string>{});
  EXPECT_EQ(counters_.foreigners.get(), 2u);
}

TEST_F(BatchTest, WhatComesByteByByteFromABrowserIsNotExecuted) {
  Peer browser(pool_, line_protocol());
  for (const char byte : "GET / HTTP/1.1\r\nHost: x\r\n\r\nA\t1\tsecret\n" + insert(1)) {
    browser.input().append(byte);
    run({&browser});
    EXPECT_EQ(take(browser), "");
  }
  EXPECT_FALSE(browser.client.authorized());
}

TEST_F(BatchTest, AHostHeaderEndsTheConnectionAfterTheRepliesBeforeIt) {
  first_.input().append(insert(1) + "Host: 127.0.0.1\r\n" + insert(2));
  second_.input().append(insert(3));
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "0\t1\n");
  EXPECT_EQ(first_.ending, Peer::Ending::kForeign);
  EXPECT_EQ(take(second_), "0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "3,v3"}));
}

TEST_F(BatchTest, ARequestOfHttpThatIsNotTheFirstLineIsAnUnknownCommand) {
  first_.input().append("GET / HTTP/1.1\n" + insert(1));
  run({&first_});
  EXPECT_EQ(take(first_), "2\t1\tcmd\n0\t1\n");
  EXPECT_EQ(first_.ending, Peer::Ending::kNone);
}

TEST_F(BatchTest, TheLineOfAnUnknownClientIsShortAndThatOfAKnownOneLong) {
  const exec::Authentication& with_secret = secret_;
  const exec::Authentication& without = exec::kNoAuthentication;
  const exec::Context context{engine::Mode::kReadWrite, Limits{}};
  const std::string open = "P\t1\td\tt\tPRIMARY\tk,v\n";
  const std::string longest(kMaxRequestOfUnknown, 'x');
  const std::string longer(kMaxRequestOfUnknown + 1, 'x');
  const std::string too_long = "2\t1\trequest_too_long\n";
  const auto answers = [&](const exec::Authentication& authentication, const std::string& lines) {
    Batch batch(context, kProtocols, session_, counters_);
    Peer peer(pool_, line_protocol(), authentication);
    peer.input().append(lines);
    batch.run(peer);
    batch.finish();
    return take(peer);
  };
  EXPECT_EQ(answers(without, longest + "\n"), "2\t1\tcmd\n");
  EXPECT_EQ(answers(without, longer), too_long);
  EXPECT_EQ(answers(without, open + longer + "\n"), "0\t1\n2\t1\tcmd\n");
  EXPECT_EQ(answers(with_secret, longer), too_long);
  EXPECT_EQ(answers(with_secret, open + longer), "3\t1\tunauth\n" + too_long);
  EXPECT_EQ(answers(with_secret, "A\t1\tsecret\n" + longer + "\n"), "0\t1\n2\t1\tcmd\n");
  EXPECT_EQ(answers(with_secret, "A\t1\tsecret\nA\t1\twrong\n" + longer),
            "0\t1\n3\t1\tunauth\n" + too_long);
}

TEST_F(BatchTest, ARepliesMemoryThatIsRefusedIsAnErrorOfItsOwnRequest) {
  for (int key = 1; key <= 100; ++key)
    fake_.add_row("d", "t", {std::to_string(key), std::string(1000, 'v')});
  Memory memory(50'000);
  exec::SpecPool pool(&memory);
  Peer peer(pool, line_protocol(), secret_);
  peer.client.set_authorized(true);
  peer.input().append(
      "P\t1\td\tt\tPRIMARY\tk,v\n1\t>\t1\t0\t100\n1\t=\t1\t7\t1\t0\tD\n1\t+\t2\t200\tnew\n");
  first_.input().append("1\t=\t1\t200\n");
  run({&peer, &first_});
  EXPECT_EQ(take(peer), "0\t1\n1\t1\tmax_memory\n0\t1\t1\n0\t1\n");
  EXPECT_EQ(take(first_), "0\t2\t200\tnew\n");
  EXPECT_EQ(peer.ending, Peer::Ending::kNone);
  EXPECT_LE(memory.used(), 50'000u);
}

TEST_F(BatchTest, NothingIsDoneThatCouldNotBeAnswered) {
  Memory memory(10'000);
  exec::SpecPool pool(&memory);
  Peer peer(pool, line_protocol(), secret_);
  peer.client.set_authorized(true);
  peer.input().append("P\t1\td\tt\tPRIMARY\tk,v\n");
  run({&peer});
  // Replies that wait for a slow client take all the memory there is, to the last byte.
  peer.output().append(std::string(3000, 'x'));
  while (peer.output().writable() > 0) peer.output().append('x');
  ASSERT_TRUE(memory.take(10'000 - memory.used(), 4096, true));
  peer.input().append(insert(1));
  run({&peer});
  EXPECT_EQ(peer.ending, Peer::Ending::kFailed);
  EXPECT_TRUE(rows().empty());
}

TEST_F(BatchTest, AnIndexThatIsRefusedMemoryIsNotOpen) {
  Memory memory(2'000);
  exec::SpecPool pool(&memory);
  Peer peer(pool, line_protocol(), secret_);
  peer.client.set_authorized(true);
  ASSERT_TRUE(memory.take(1'900, 4096, true));
  peer.input().append("P\t1\td\tt\tPRIMARY\tk,v\n1\t=\t1\t1\n");
  run({&peer});
  EXPECT_EQ(take(peer), "1\t1\tmax_memory\n2\t1\tstmtnum\n");
}

TEST_F(BatchTest, ALineOfTheGreatestLengthIsServed) {
  first_.input().append(std::string(1000, 'x') + "\n");
  run({&first_});
  EXPECT_EQ(take(first_), "2\t1\tcmd\n");
  first_.input().append(std::string(1000, 'x'));
  run({&first_});
  EXPECT_EQ(first_.ending, Peer::Ending::kNone);
  first_.input().append('x');
  run({&first_});
  EXPECT_EQ(take(first_), "2\t1\trequest_too_long\n");
}

TEST_F(BatchTest, AFullBatchLeavesTheRestForTheNext) {
  for (size_t i = 0; i < Batch::kMaxRequests + 1; ++i) first_.input().append("\n");
  second_.input().append(find(1));
  batch_.run(first_);
  EXPECT_TRUE(batch_.full());
  EXPECT_TRUE(first_.may_have_more);
  batch_.run(second_);
  EXPECT_TRUE(second_.may_have_more);
  batch_.finish();
  batch_.clear();
  EXPECT_EQ(take(first_).size(), Batch::kMaxRequests * std::string("2\t1\tcmd\n").size());
  EXPECT_EQ(take(second_), "");
  run({&second_, &first_});
  EXPECT_EQ(take(first_), "2\t1\tcmd\n");
  EXPECT_EQ(take(second_), "0\t2\n");
}

TEST_F(BatchTest, ABatchIsFullAfterManyBytesOfReplies) {
  first_.input().append("1\t+\t2\t1\t" + std::string(900, 'v') + "\n");
  run({&first_});
  take(first_);
  std::vector<std::unique_ptr<Peer>> peers;
  while (!batch_.full()) {
    peers.push_back(std::make_unique<Peer>(pool_, line_protocol(), secret_));
    Peer& peer = *peers.back();
    peer.client.set_authorized(true);
    peer.input().append("P\t1\td\tt\t\tv,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v\n");
    for (int i = 0; i < 10; ++i) peer.input().append("1\t=\t1\t1\n");
    batch_.run(peer);
    ASSERT_LT(peers.size(), 10u);
  }
  batch_.finish();
  size_t bytes = 0;
  for (const auto& peer : peers) bytes += peer->output().size();
  EXPECT_GE(bytes, Batch::kMaxReplyBytes);
  EXPECT_LT(bytes, Batch::kMaxReplyBytes + 20'000);
  batch_.clear();
}

TEST_F(BatchTest, ABatchIsFullOfConnectionsThatHaveSentNoWholeLine) {
  std::vector<std::unique_ptr<Peer>> peers;
  while (!batch_.full()) {
    ASSERT_LT(peers.size(), Batch::kMaxRequests);
    peers.push_back(std::make_unique<Peer>(pool_, line_protocol(), secret_));
    peers.back()->input().append("1\t=");
    batch_.run(*peers.back());
    EXPECT_FALSE(peers.back()->may_have_more);
  }
  EXPECT_EQ(peers.size(), Batch::kMaxRequests);
  batch_.finish();
  batch_.clear();
}

TEST_F(BatchTest, WhatWasChangedIsCommittedBeforeATableMustBeOpened) {
  first_.input().append(insert(1) + insert(2) + find(1));
  run({&first_});
  EXPECT_EQ(commits(), 1u);
  session_.open = false;
  first_.input().append(insert(3) + insert(4) + find(1) + find(2));
  run({&first_});
  // Before insert(4), before the first find, and at the end.
  EXPECT_EQ(commits(), 1u + 3u);
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n" + found(1) + "0\t1\n0\t1\n" + found(1) + found(2));
}

TEST_F(BatchTest, AChangeThatCannotBeUndoneIsCommittedBeforeATableMustBeOpened) {
  session_.undo = false;
  first_.input().append(insert(1) + insert(2));
  session_.open = false;
  first_.input().append(find(1) + insert(3) + find(3));
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n" + found(1) + "0\t1\n" + found(3));
  EXPECT_FALSE(session_.opened_amid_changes);
}

TEST_F(BatchTest, ACommitThatFailsAfterAChangeThatCannotBeUndoneFailsOnlyThat) {
  session_.undo = false;
  faulty_.fail(Call::kCommit, 2, Error::engine(5));
  first_.input().append(insert(1) + insert(2) + insert(3));
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n1\t1\t5\n0\t1\n");
}

TEST_F(BatchTest, NobodyIsToldOfACommitThatMayHaveBeenDoneOrNot) {
  faulty_.lose_outcome(1);
  const uint64_t before = faulty_.calls(Call::kCommit);
  first_.input().append(insert(1) + insert(2));
  second_.input().append(insert(3));
  run({&first_, &second_});
  for (Peer* peer : {&first_, &second_}) {
    EXPECT_EQ(peer->ending, Peer::Ending::kAbandoned);
    EXPECT_TRUE(peer->output().empty());
  }
  EXPECT_EQ(faulty_.calls(Call::kCommit) - before, 1u);  // it is not tried again
}

TEST_F(BatchTest, APeerOverTheHighWaterMarkIsNotServed) {
  first_.output().append(std::string(Limits{}.max_buffered + 1, 'r'));
  first_.input().append(insert(1));
  run({&first_});
  EXPECT_TRUE(first_.may_have_more);
  EXPECT_TRUE(rows().empty());
  take(first_);
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n");
}

TEST_F(BatchTest, AnExceptionEndsOnlyItsOwnConnection) {
  first_.input().append(insert(1));
  second_.input().append(insert(2) + insert(3) + insert(4));
  third_.input().append(insert(5));
  session_.throw_at = 3;  // insert(3)
  run({&first_, &second_, &third_});
  EXPECT_EQ(take(first_), "0\t1\n");
  EXPECT_EQ(take(second_), "0\t1\n");  // the connection is closed after this
  EXPECT_EQ(second_.ending, Peer::Ending::kFailed);
  EXPECT_EQ(take(third_), "0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "2,v2", "5,v5"}));
}

TEST_F(BatchTest, AnExceptionInTheMiddleOfAReplyLeavesTheOthersWhole) {
  first_.input().append(find(1) + find(1) + find(1));
  second_.input().append(find(1) + find(1) + "\n");
  session_.throw_at_end = 3;  // when the reply of the third find has begun
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "0\t2\n0\t2\n");
  EXPECT_EQ(take(second_), "0\t2\n0\t2\n2\t1\tcmd\n");

  session_.throw_at_end = 2;
  first_.ending = Peer::Ending::kNone;
  first_.input().append(find(1) + find(1));
  second_.input().append("\n\n");  // two errors, which end no reply of rows
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "0\t2\n");
  EXPECT_EQ(take(second_), "2\t1\tcmd\n2\t1\tcmd\n");
}

}  // namespace
}  // namespace hs::server
