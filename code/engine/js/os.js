"use strict";
const process = require("process");

module.exports = {
  EOL: "\n",
  platform: () => process.platform,
  arch: () => process.arch,
  type: () => ({ linux: "Linux", darwin: "Darwin", win32: "Windows_NT" })[process.platform] ?? process.platform,
  endianness: () => "LE",
  release: () => "",
  uptime: () => process.uptime(),
  hostname: () => "localhost",
  cpus: () => [],
  availableParallelism: () => 1,
  totalmem: () => 0,
  freemem: () => 0,
  loadavg: () => [0, 0, 0],
  networkInterfaces: () => ({}),
  constants: { signals: {}, errno: {} },
  tmpdir: () => "/tmp", // outside the project, as the home is: packages that are loaded ask for their names
  homedir: () => "/",
  userInfo() {
    throw new Error("os.userInfo is not for a site's code");
  },
};
