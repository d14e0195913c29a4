import { connect, type Row } from "handlersocket2";

interface User {
  user_id: number;
}
export const user: Promise<User | null> = connect().table<User>("test.user").get(1);
export const row: Promise<Row | null> = connect().table("test.user").get(1);
