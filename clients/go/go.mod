module handlersocket2.org/client

go 1.19
