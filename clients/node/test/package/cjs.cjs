const { connect, ValueError } = require("handlersocket2");
const { Reader } = require("handlersocket2/protocol");

connect("hs://127.0.0.1").close();
if (typeof ValueError !== "function" || new Reader().rest !== 0) process.exit(1);
