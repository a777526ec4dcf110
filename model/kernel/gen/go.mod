module dojo.example/model/kernel/gen

go 1.26.0
