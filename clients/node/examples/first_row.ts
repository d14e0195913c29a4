/** The first row: reads user 101 of the table test.user. */
import { connect } from "../src/index.js";

const client = connect(process.env.HS_URL ?? "hs://127.0.0.1:9998?write_port=9999");
const users = client.table("test.user");
console.log((await users.get(101))?.user_name);
client.close();
